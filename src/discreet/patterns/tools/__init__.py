"""What each tool's columns and lines of patterns and rules mean, and how to write them: one module per tool."""
