"""Find and block what mined patterns disclose about small groups of rows (atzori2008, waim2008)."""
