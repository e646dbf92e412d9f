"""`python -m syswatch`, for where the folder of commands is not in the path."""

from syswatch.app.cli import program

if __name__ == "__main__":
    program()
