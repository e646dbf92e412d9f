"""Pushing to an OpenTelemetry Collector with OTLP; imported only if that was asked for."""
