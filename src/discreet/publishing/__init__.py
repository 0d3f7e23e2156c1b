"""What leaves the building: bundles with certificate and signature, their verifier, the ledger, reports and charts."""
