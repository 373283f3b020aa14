"""Keeps a test run on this machine: `sitecustomize` refuses, `plugin` prepares and judges a run."""
