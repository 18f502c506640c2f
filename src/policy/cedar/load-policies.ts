// Reads an organisation's policies. All or nothing: where one policy cannot be read, none is in force, because a missing forbid
// would not be noticed.

import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import type { DetailedError, PolicyJson } from '@cedar-policy/cedar-wasm/nodejs'
import { patternNames } from '../../contract/approval/approval-pattern.ts'
import { hashJson } from '../../json/hash.ts'
import type { JsonValue } from '../../json/value.ts'
import { type Engine, openEngine } from './engine.ts'
import { mentionsOf } from './mentions.ts'
import {
  type AskAnnotation,
  type Policies,
  type Policy,
  type PolicyPlace,
  type PolicyProblem,
  placeAt,
  placeAtByte,
} from './policy.ts'

export interface PolicySource {
  /** Names the text in messages and in the ids of policies that have none. */
  readonly name: string
  readonly text: string
}

export interface LoadOptions {
  readonly files?: readonly string[]
  readonly texts?: readonly PolicySource[]
  /** What a call gets that no policy speaks about: the others decide, or it is denied. `passthrough` unless given. */
  readonly unlessPermitted?: 'passthrough' | 'deny'
}

export type Loading =
  | { readonly ok: true; readonly policies: Policies }
  | { readonly ok: false; readonly problems: readonly PolicyProblem[] }

type Read = Omit<Policy, 'order'>

const maxSourceLength = 8 * 1_048_576
const controls = /\p{Cc}/u

export async function loadPolicies({
  files = [],
  texts = [],
  unlessPermitted = 'passthrough',
}: LoadOptions): Promise<Loading> {
  const engine = openEngine()
  const problems: PolicyProblem[] = []
  const sources: PolicySource[] = [...texts]
  for (const file of files) {
    try {
      sources.push({ name: basename(file), text: await readFile(file, 'utf8') })
    } catch (error) {
      problems.push(problem(file, error instanceof Error ? error.message : 'The file cannot be read.'))
    }
  }
  const policies = sources
    .flatMap((source) => readSource(engine, source, problems))
    .map((policy, order): Policy => ({ ...policy, order }))
  refuseDuplicates(policies, problems)
  if (problems.length > 0) return { ok: false, problems }
  const forms = policies.map(({ id, form }) => [id, form]) as unknown as JsonValue
  const version = hashJson(['cedar-policies', engine.version, unlessPermitted, forms])
  return { ok: true, policies: { policies, unlessPermitted, version, engine } }
}

function readSource(engine: Engine, { name, text }: PolicySource, problems: PolicyProblem[]): readonly Read[] {
  if (text.length > maxSourceLength) {
    problems.push(problem(name, `The text is longer than ${maxSourceLength} characters. Split it.`))
    return []
  }
  const asked = engine.ask((cedar) => cedar.policySetTextToParts(text))
  if (!asked.ok) {
    problems.push(
      problem(name, `Cedar cannot take the text; an expression may be nested too deeply (${asked.message}).`),
    )
    return []
  }
  const parts = asked.value
  if (parts.type === 'failure') {
    for (const error of parts.errors)
      problems.push(problem(name, sentenceOf(error), placeAtByte(name, text, error.sourceLocations?.[0]?.start ?? 0)))
    return []
  }
  for (const template of parts.policy_templates) {
    const place = placeAt(name, text, Math.max(0, text.indexOf(template)))
    problems.push(problem(name, 'This is a template, and nothing here links it. Write the policy out.', place))
  }
  let from = 0
  return inOrderOfText(parts.policies).flatMap((part, index) => {
    const at = text.indexOf(part, from)
    if (at !== -1) from = at + part.length
    const place = placeAt(name, text, Math.max(0, at))
    const read = readPolicy(engine, part, { place, derivedId: `${name}#${index + 1}` })
    if (typeof read !== 'string') return [read]
    problems.push(problem(name, read, place))
    return []
  })
}

function readPolicy(engine: Engine, text: string, { place, derivedId }: { place: PolicyPlace; derivedId: string }) {
  const asked = engine.ask((cedar) => cedar.policyToJson(text))
  if (!asked.ok) return `Cedar cannot take the policy (${asked.message}).`
  if (asked.value.type === 'failure') return asked.value.errors.map(sentenceOf).join(' ')
  const form: PolicyJson = asked.value.json
  const annotations: Annotations = form.annotations ?? {}
  const id = Object.hasOwn(annotations, 'id') ? (annotations.id ?? '') : derivedId
  if (id === '' || id.length > 256 || controls.test(id)) return '@id takes a text of 1 to 256 printable characters.'
  const reading = readAnnotations(form.effect, annotations)
  if (!reading.ok) return reading.message
  const { message, ask } = reading
  const mentions = mentionsOf(form as unknown as JsonValue)
  if (mentions.inexact) return 'A number beyond 2^53 stands in the policy; no argument that a policy reads is as large.'
  return { id, effect: form.effect, text, place, message, ask, form, mentions } satisfies Read
}

/** The engine names parts policy0, policy1, … and hands them out ordered by that name, so policy10 stands before policy2. */
function inOrderOfText(parts: readonly string[]): readonly string[] {
  const ordered: string[] = []
  const names = parts.map((_, index) => `policy${index}`).sort()
  for (const [rank, name] of names.entries()) ordered[Number(name.slice('policy'.length))] = parts[rank] ?? ''
  return ordered
}

function refuseDuplicates(policies: readonly Policy[], problems: PolicyProblem[]): void {
  const first = new Map<string, Policy>()
  for (const policy of policies) {
    const known = first.get(policy.id)
    if (known === undefined) first.set(policy.id, policy)
    else {
      const { source, line } = known.place
      const message = `The id ${JSON.stringify(policy.id)} is taken by the policy at ${source}:${line}.`
      problems.push(problem(policy.place.source, message, policy.place))
    }
  }
}

function sentenceOf({ message, help }: DetailedError): string {
  return help === null ? `${message}.` : `${message}: ${help}.`
}

function problem(source: string, message: string, place: Partial<PolicyPlace> = {}): PolicyProblem {
  const { line = 1, column = 1 } = place
  return { level: 'error', policy: undefined, source, line, column, message }
}

type Annotations = { readonly [name: string]: string | null | undefined }

type AnnotationReading =
  | { readonly ok: true; readonly message: string | undefined; readonly ask: AskAnnotation | undefined }
  | { readonly ok: false; readonly message: string }

const mostApprovers = 100

function readAnnotations(effect: 'permit' | 'forbid', annotations: Annotations): AnnotationReading {
  const message = annotationText(annotations, 'message')
  if (!Object.hasOwn(annotations, 'ask')) {
    const idle = ['roles', 'quorum'].find((name) => Object.hasOwn(annotations, name))
    if (idle !== undefined) return refuseAnnotation(`@${idle} says who approves, so it needs @ask beside it.`)
    return { ok: true, message, ask: undefined }
  }
  if (effect === 'permit') {
    return refuseAnnotation(
      '@ask belongs on a forbid: any other reader of Cedar would take this permit for a plain one.',
    )
  }
  const wanted = annotationText(annotations, 'ask')
  const pattern = patternNames.find((known) => known === wanted)
  if (wanted !== undefined && pattern === undefined) {
    return refuseAnnotation(`@ask names no approval pattern. Write @ask alone, or one of ${patternNames.join(', ')}.`)
  }
  const quorum = readQuorum(annotations)
  if (quorum === 'bad')
    return refuseAnnotation(`@quorum takes a whole number from 1 to ${mostApprovers}, such as @quorum("2").`)
  const roles = readRoles(annotations)
  if (roles === 'bad')
    return refuseAnnotation('@roles takes names separated by commas, such as @roles("finance, compliance").')
  return { ok: true, message, ask: { pattern, roles, quorum } }
}

function readQuorum(annotations: Annotations): number | undefined | 'bad' {
  if (!Object.hasOwn(annotations, 'quorum')) return undefined
  const text = annotations.quorum ?? ''
  const quorum = Number(text)
  return /^[1-9][0-9]*$/.test(text) && quorum <= mostApprovers ? quorum : 'bad'
}

function readRoles(annotations: Annotations): readonly string[] | 'bad' {
  if (!Object.hasOwn(annotations, 'roles')) return []
  const roles = (annotations.roles ?? '').split(',').map((role) => role.trim())
  return roles.includes('') ? 'bad' : roles
}

/** An annotation without a value, or with an empty one, is there and says nothing. */
function annotationText(annotations: Annotations, name: string): string | undefined {
  return (Object.hasOwn(annotations, name) ? annotations[name] : undefined) || undefined
}

function refuseAnnotation(message: string): AnnotationReading {
  return { ok: false, message }
}
