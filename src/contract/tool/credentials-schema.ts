// Credentials as a tool file asks for them: by name, each with where it is kept.
import type { JsonObject } from '../../json/value.ts'
import { choice, closed, text, texts } from '../closed-schema.ts'

export const credentialsSchema = (description: string): JsonObject => ({
  type: 'object',
  description,
  propertyNames: { pattern: '^[A-Za-z][A-Za-z0-9_-]{0,63}$' },
  additionalProperties: closed(
    'One secret.',
    {
      ref: { ...text('Names the secret where it is kept, such as billing/api.'), minLength: 1, maxLength: 256 },
      per: choice('Whether the tenant has one, which is the default, or each of its users.', ['tenant', 'user']),
      scopes: texts('What the secret has to be good for, where narrower ones can be issued.'),
    },
    ['ref'],
  ),
})
