"""What Pointsman tells about itself: metrics by name, decisions as lines, traces. Only OpenTelemetry's API is used.

The SDK, its exporters and the HTTP listener belong to the process that is observed: see `workers/telemetry/`.
"""
