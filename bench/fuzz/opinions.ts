// Second and third opinions on a value, from validators that share no code with ours.
// Invariant: judged on the schema as declared, never on anything derived from it.
import { hasSchema, validate as hyperjump, registerSchema } from '@hyperjump/json-schema/draft-2020-12'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { observationSchema } from '../../src/contract/call/observation.ts'
import type { Subject } from './subjects.ts'

export interface Opinions {
  ajv(subject: string, value: unknown): boolean
  hyperjump(subject: string, value: unknown): boolean
  isObservation(value: unknown): boolean
}

type Check = (value: unknown) => boolean

export async function openOpinions(subjects: readonly Subject[]): Promise<Opinions> {
  // The default export of ajv-formats is a CommonJS module whose plugin is its own default.
  const withFormats = (options: ConstructorParameters<typeof Ajv2020>[0]) => addFormats.default(new Ajv2020(options))
  const plain = withFormats({ strict: false, ownProperties: true })
  const isObservation = withFormats({ strict: true, allowUnionTypes: true }).compile(observationSchema)
  const byAjv = new Map<string, Check>()
  const byHyperjump = new Map<string, Check>()
  for (const { name, schema } of subjects) {
    byAjv.set(name, plain.compile(schema) as Check)
    const uri = `https://fuzz.invalid/${name}`
    if (!hasSchema(uri)) {
      registerSchema(
        structuredClone(schema) as Parameters<typeof registerSchema>[0],
        uri,
        'https://json-schema.org/draft/2020-12/schema',
      )
    }
    const check = await hyperjump(uri)
    byHyperjump.set(name, (value) => check(value as Parameters<typeof check>[0]).valid)
  }
  return {
    ajv: (subject, value) => {
      try {
        return judge(byAjv, subject, value)
      } catch {
        // Ajv compares objects by calling their valueOf, which may be a key that was sent. Then the other one decides.
        return judge(byHyperjump, subject, value)
      }
    },
    hyperjump: (subject, value) => judge(byHyperjump, subject, value),
    isObservation: (value) => isObservation(value),
  }
}

function judge(checks: ReadonlyMap<string, Check>, subject: string, value: unknown): boolean {
  const check = checks.get(subject)
  if (check === undefined) throw new Error(`No subject is called ${subject}`)
  return check(value)
}
