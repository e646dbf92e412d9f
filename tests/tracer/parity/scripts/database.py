"""Store rows in a database."""

import sqlite3

with sqlite3.connect("rows.db") as database:
    database.execute("create table numbers (number int, square int)")
    rows = [(number, number * number) for number in range(100)]
    database.executemany("insert into numbers values (?, ?)", rows)
    database.commit()
    print(database.execute("select sum(square) from numbers").fetchone())  # noqa: T201
