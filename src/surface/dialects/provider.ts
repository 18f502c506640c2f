// Who models come from, as far as their dialects of JSON Schema differ.

export const providers = ['openai', 'anthropic', 'gemini', 'mcp'] as const

export type Provider = (typeof providers)[number]

export function isProvider(value: unknown): value is Provider {
  return providers.some((provider) => provider === value)
}
