"""Who answers the questions, by the names in keys and in tables."""

POINTSMAN, LITELLM, NAIVE = "pointsman", "litellm", "naive"
TITLES = {POINTSMAN: "Pointsman", LITELLM: "LiteLLM Router", NAIVE: "naive failover"}
