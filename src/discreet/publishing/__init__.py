"""What is published: bundles with certificate and signature, their verifier, the ledger, reports and charts."""
