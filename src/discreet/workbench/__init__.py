"""The local web page: look, try, decide.

State and work are plain classes that know nothing of the web framework: `jobs` (work in a process of its own), `source`
(the file that was dropped), `publishing_task`, `hiding_task`, `protecting_task`, `verifying_task`, and `desks`, which
keeps one of each per address. The pages (`*_page`) show them and pass on what is clicked; `server` and `guard` are the
door: loopback only, and only with the token.
"""
