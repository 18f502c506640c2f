// Faults put in on purpose. Each must be found by the judge; a fuzzer that finds none of them proves nothing.
import type { Answer } from '../../src/index.ts'
import type { JsonObject } from '../../src/json/value.ts'

export interface Plant {
  /** What the judge has to count. */
  readonly finds: 'let_through' | 'over_refused' | 'exceptions' | 'slow' | 'bad_observations'
  /** The schema that is registered in place of the declared one. */
  register?(schema: JsonObject): JsonObject
  /** What comes back in place of the answer. */
  answer?(answer: Answer): Answer
}

const burnMs = 60

export const plants = {
  'let-through': { finds: 'let_through', register: () => ({ type: 'object' }) },
  // Optional arguments are refused; a schema without any value would not even be registered.
  'over-refused': {
    finds: 'over_refused',
    register: (schema) => ({ ...schema, maxProperties: fewProperties(schema) }),
  },
  exception: {
    finds: 'exceptions',
    answer: () => {
      throw new Error('planted')
    },
  },
  slow: {
    finds: 'slow',
    answer: (answer) => {
      const started = process.threadCpuUsage()
      while (process.threadCpuUsage(started).user < burnMs * 1_000);
      return answer
    },
  },
  observation: {
    finds: 'bad_observations',
    answer: (answer) => ({
      ...answer,
      observation: {
        ...answer.observation,
        status: { ...answer.observation.status, code: 'none' as unknown as number },
      },
    }),
  },
} as const satisfies Readonly<Record<string, Plant>>

export type PlantName = keyof typeof plants

export const isPlantName = (name: string): name is PlantName => Object.hasOwn(plants, name)

function fewProperties({ required }: JsonObject): number {
  return Array.isArray(required) ? Math.max(2, required.length) : 2
}
