"""The commands of ``python -m core``, by what they are about; each file is imported when asked."""
