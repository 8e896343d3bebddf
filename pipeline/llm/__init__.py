"""A large language model behind an address that speaks OpenAI's chat completions: asked where a setting says so."""
