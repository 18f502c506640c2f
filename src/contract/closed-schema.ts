// The few words in which our own published schemas are written: closed objects whose every property is required unless said otherwise.
import type { JsonObject } from '../json/value.ts'

export const closed = (
  description: string,
  properties: JsonObject,
  required: readonly string[] = Object.keys(properties),
): JsonObject => ({ type: 'object', description, required, additionalProperties: false, properties })

export const text = (description: string): JsonObject => ({ type: 'string', description })

export const texts = (description: string): JsonObject => ({ type: 'array', description, items: { type: 'string' } })

export const flag = (description: string): JsonObject => ({ type: 'boolean', description })

export const choice = (description: string, values: readonly string[]): JsonObject => ({
  type: 'string',
  description,
  enum: values,
})

export const count = (description: string, minimum: number): JsonObject => ({ type: 'integer', minimum, description })
