"""
The terminal UI, drawn with Textual.

- Process: `terminal_ui` is the interface to the rest of syswatch.  It redirects the standard
  streams (`stdio`, `captured_output`) and runs the app.  The restorer, a child process
  (`restorer_process`), restores the terminal if this process is killed.
- App: `app` stacks header, alerts, table, filter and footer, and maps keys (`keys`) to actions.
  `table` shows the calls in the columns (`columns`) that fit (`layout`).
- Pages: `page` is a scrolling screen over the table.  `header`, `page_content` and `detail` are
  pure functions that turn a snapshot into lines of styled text.  `dialogs` ask the user.
- Drawing: `styled_text` turns lines into cells and escapes them; `widgets` redraws only rows that
  changed.  `textual_private` holds all use of Textual's private API.

Data flows one way: the session calls `SyswatchApp.update_snapshot`, which draws the visible screen.
"""
