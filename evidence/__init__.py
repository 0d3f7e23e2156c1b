"""Long campaigns that try to break what discreet promises; `make evidence` runs them and writes docs/evidence.md."""
