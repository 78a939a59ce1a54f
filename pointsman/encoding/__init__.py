"""How payloads travel: encrypted, compressed, or kept in a folder of one's own, as the configuration says."""
