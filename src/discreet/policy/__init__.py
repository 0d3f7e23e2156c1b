"""POLICY: how a data set is read, who is protected from what, and where it goes, written once and applied every month.

- `keys`: which keys a policy file has, and their JSON schema;
- `policy`: the file as a value, with the digest of what it promises;
- `toml_text`: the value as a file again;
- `draft`: a first file, proposed from data;
- `drift`: how data differ from what a policy says about them;
- `run`: read, check, make safe, publish, record and verify.
"""
