"""How this course stores notebooks: `form` writes, `execute` runs, `check` judges them."""
