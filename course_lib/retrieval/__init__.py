"""Retrieval: from a document to the passages that answer a question.

`parse` reads a file's text, `chunk` cuts it, `embed` turns a text into a vector, `rank` orders
the chunks for a query by meaning and by words. Plain functions over texts and arrays: nothing
here knows the API.
"""
