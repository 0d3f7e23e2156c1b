"""The local web page: look, try, decide.

Folders follow a click. `pages` show a workspace and pass on what is clicked; only they, `server` and `guard` know the
web framework. `workspace` holds what belongs to one address: the file that was dropped, the job under way, and the four
`tasks`. A task starts `jobs`, which run in processes of their own. `server` and `guard` are the door: loopback only,
and only with the token.
"""
