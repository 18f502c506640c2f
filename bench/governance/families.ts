// What it costs a run to be made the child of another one, in a small family and in a large one: one call of each child, on Postgres.
import { defineTool, openProviso } from '../../src/index.ts'
import { postgres } from '../../src/ledger/index.ts'

export interface FamilyCost {
  readonly children: number
  /** Of the call that makes a run a child, in milliseconds: the middle of the first hundred, and of the last hundred. */
  readonly first_ms: number
  readonly last_ms: number
  /** The longest of the last hundred. */
  readonly last_worst_ms: number
  readonly met: { readonly constant: boolean }
}

const look = defineTool({
  name: 'look',
  description: 'Looks something up.',
  effect: 'READ_ONLY',
  input: { type: 'object', properties: {}, additionalProperties: false },
  trusted: true,
  execute: () => ({}),
})

export async function costOfFamily(url: string, children: number): Promise<FamilyCost> {
  const ledger = await postgres(url)
  const proviso = await openProviso({ ledger, tools: [look] })
  const timeOf = async (child: string, parent: string) => {
    const begun = performance.now()
    const { effect } = await proviso.call({ tool: 'look' }, { run: child, parentRun: parent })
    if (effect !== 'none') throw new Error('A call of a child failed.')
    return performance.now() - begun
  }
  for (let n = 0; n < 200; n++) await timeOf(`warm-${n}`, `other-${n % 20}`)
  const times: number[] = []
  for (let n = 0; n < children; n++) times.push(await timeOf(`child-${n}`, 'parent'))
  await proviso.close()
  await ledger.close()
  const [first, last] = [times.slice(0, 100), times.slice(-100)].map((some) => some.toSorted((a, b) => a - b))
  const middle = (sorted: readonly number[] | undefined) => sorted?.[Math.floor(sorted.length / 2)] ?? Number.NaN
  const [first_ms, last_ms] = [middle(first), middle(last)]
  return {
    children,
    first_ms,
    last_ms,
    last_worst_ms: last?.at(-1) ?? Number.NaN,
    // A machine that is at work elsewhere is twice as slow; a cost that grows with the family is twenty times as high.
    met: { constant: last_ms < 3 * first_ms },
  }
}
