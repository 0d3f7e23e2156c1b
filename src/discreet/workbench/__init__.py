"""The local web page: look, try, decide.

The packages follow a click. `pages` show a workspace and pass on what is clicked; only they, `server` and `guard` use
the web framework. `workspace` holds what belongs to one address: the dropped file, the running job, and the four
`tasks`. A task starts `jobs`, which run in processes of their own. `server` and `guard` control access: loopback only,
and only with the token.
"""
