// The annotations that mean something to us. What contradicts itself is refused, never guessed: a misread @quorum would be a hole.
import type { ApprovalPattern } from '../../contract/effects.ts'
import type { Ask } from './policy.ts'

export type Annotations = { readonly [name: string]: string | null | undefined }

export type AnnotationReading =
  | { readonly ok: true; readonly message: string | undefined; readonly ask: Ask | undefined }
  | { readonly ok: false; readonly message: string }

const patterns: readonly ApprovalPattern[] = [
  'user_consent',
  'operator_review',
  'dual_control',
  'compliance_gate',
  'async_review',
]
const mostApprovers = 100

export function readAnnotations(effect: 'permit' | 'forbid', annotations: Annotations): AnnotationReading {
  const message = textOf(annotations, 'message')
  if (!Object.hasOwn(annotations, 'ask')) {
    const idle = ['roles', 'quorum'].find((name) => Object.hasOwn(annotations, name))
    if (idle !== undefined) return refuse(`@${idle} says who approves, so it needs @ask beside it.`)
    return { ok: true, message, ask: undefined }
  }
  if (effect === 'permit') {
    return refuse('@ask belongs on a forbid: any other reader of Cedar would take this permit for a plain one.')
  }
  const wanted = textOf(annotations, 'ask')
  const pattern = patterns.find((known) => known === wanted)
  if (wanted !== undefined && pattern === undefined) {
    return refuse(`@ask names no approval pattern. Write @ask alone, or one of ${patterns.join(', ')}.`)
  }
  const quorum = readQuorum(annotations)
  if (quorum === 'bad') return refuse(`@quorum takes a whole number from 1 to ${mostApprovers}, such as @quorum("2").`)
  const roles = readRoles(annotations)
  if (roles === 'bad') return refuse('@roles takes names separated by commas, such as @roles("finance, compliance").')
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
function textOf(annotations: Annotations, name: string): string | undefined {
  return (Object.hasOwn(annotations, name) ? annotations[name] : undefined) || undefined
}

function refuse(message: string): AnnotationReading {
  return { ok: false, message }
}
