// Text with holes, as bindings write it: {name} and {/pointer} stand for arguments, {{ and }} for braces themselves. One reading for the
// sentence that people approve, for requests, mails and programs: what is an argument in one of them is one in all.
import { appendPointer, isPointer } from '../../json/pointer.ts'

export type BracedText = readonly (string | { readonly hole: string })[]

export type BracesReading =
  | { readonly ok: true; readonly parts: BracedText }
  | { readonly ok: false; readonly problem: string }

/** The user of the text decides what a hole may hold. Pieces of plain text side by side are joined to one. */
export function readBraces(text: string): BracesReading {
  const parts: (string | { readonly hole: string })[] = []
  let plain = ''
  const endPlain = () => {
    if (plain !== '') parts.push(plain)
    plain = ''
  }
  for (const [found, hole] of text.matchAll(/\{\{|\}\}|\{([^{}]*)\}|[{}]|[^{}]+/gu)) {
    if (hole !== undefined) {
      endPlain()
      parts.push({ hole })
    } else if (found === '{' || found === '}') {
      return { ok: false, problem: `A single ${found} encloses nothing; write ${found}${found} for a brace.` }
    } else plain += found === '{{' ? '{' : found === '}}' ? '}' : found
  }
  endPlain()
  return { ok: true, parts }
}

/** A letter first, and nothing that is a mark of its own elsewhere, such as the colon of {credential:name}. */
const plainName = /^[\p{L}_$][\p{L}\p{N}_$.-]{0,127}$/u

/** Undefined where the hole names no argument. An argument whose name is not plain is named by its pointer. */
export function argumentPointer(hole: string): string | undefined {
  if (hole.startsWith('/')) return isPointer(hole) ? hole : undefined
  return plainName.test(hole) ? appendPointer('', hole) : undefined
}
