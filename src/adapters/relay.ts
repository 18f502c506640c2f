// Hands on what some work reports while it goes on, and then what it came to.

type Emit = (value: unknown) => void

/** Yields everything emitted, in order, and at last the result, unless that very value was the last one emitted. */
export async function* relay(work: (emit: Emit) => Promise<unknown>): AsyncGenerator<unknown> {
  const waiting: { readonly value: unknown }[] = []
  let ended = false
  let wake: () => void = () => undefined
  const result = work((value) => {
    waiting.push({ value })
    wake()
  }).finally(() => {
    ended = true
    wake()
  })
  // Awaited below, once what came before has been handed on; a rejection before that is not unhandled.
  result.catch(() => undefined)
  let last: { readonly value: unknown } | undefined
  while (true) {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      last = next
      yield next.value
    }
    if (ended) break
    await new Promise<void>((resolve) => {
      wake = resolve
    })
  }
  const value = await result
  if (last === undefined || last.value !== value) yield value
}
