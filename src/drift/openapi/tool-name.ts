// Names for operations: the operationId or method and path, in the letters that contracts and providers take. Invariant: no two operations
// share one, and the name of an operation does not depend on where in the document it stands.

import { sha256 } from '../../json/hash.ts'
import { withoutEdges } from '../../json/text-end.ts'

const maxLength = 64

export interface NamedOperation {
  readonly method: string
  readonly path: string
  readonly operationId: string | undefined
}

export function toolNames(operations: readonly NamedOperation[]): readonly string[] {
  const plain = operations.map(plainName)
  const owners = Map.groupBy(operations.keys(), (index) => (plain[index] as string).toLowerCase())
  const names = operations.map((operation, index) => {
    const name = plain[index] as string
    const rivals = owners.get(name.toLowerCase()) ?? []
    const exact = rivals.filter((one) => operations[one]?.operationId === plain[one])
    // The one operation with this id keeps the name; where none or several have it, each gets a mark of its request.
    return rivals.length === 1 || (exact.length === 1 && exact[0] === index) ? name : marked(name, operation)
  })
  // An id may be chosen to read like the marked name of another operation; both are then named by their whole request.
  const shared = Map.groupBy(names.keys(), (index) => (names[index] as string).toLowerCase())
  return names.map((name, index) =>
    shared.get(name.toLowerCase())?.length === 1 ? name : requestHash(operations[index] as NamedOperation),
  )
}

function plainName(operation: NamedOperation): string {
  const { method, path, operationId } = operation
  const own = clean(operationId ?? '')
  const name = own === '' ? clean(`${method} ${path}`) || method : own
  return name.length > maxLength ? marked(name, operation) : name
}

const clean = (text: string): string => withoutEdges(text.slice(0, 1_000).replace(/[^A-Za-z0-9_-]+/g, '_'), '_')

function marked(name: string, { method, path }: NamedOperation): string {
  const mark = requestHash({ method, path }).slice(0, 8)
  return name.endsWith(`_${mark}`) ? name : `${name.slice(0, maxLength - mark.length - 1)}_${mark}`
}

const requestHash = ({ method, path }: Pick<NamedOperation, 'method' | 'path'>): string => sha256(`${method} ${path}`)
