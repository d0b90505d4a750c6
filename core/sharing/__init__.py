"""What leaves the program: the link, CSV and JSON, the memo and the workbook."""
