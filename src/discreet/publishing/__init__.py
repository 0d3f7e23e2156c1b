"""What leaves the building, and how it looks: charts so far."""
