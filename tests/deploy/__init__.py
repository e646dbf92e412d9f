"""Tests of deploy/: Kubernetes, container images, alerts and dashboards."""
