// What a Proviso is asked passes this door. Once it closes, more is refused; what was asked before comes to its end first.
import { Fault } from '../contract/fault.ts'

/** Functions that answer later, by name, in any depth; and what is known without asking. */
interface Desk {
  readonly [name: string]: ((...given: never[]) => Promise<unknown>) | Desk | string
}

export interface Door {
  readonly isClosed: boolean
  /** Throws once it is closed. */
  check(): void
  /** From now on waited for at closing; also what is begun by something that was asked before. */
  track<T>(asked: Promise<T>): Promise<T>
  /** The same functions, each behind the door. */
  guard<Asked extends object>(desk: Asked): Asked
  /** Closes, and resolves once all that was asked has come to its end. */
  close(): Promise<void>
}

export function createDoor(): Door {
  const underWay = new Set<Promise<unknown>>()
  let isClosed = false

  const check = () => {
    if (isClosed) throw new Fault('closed', 'This Proviso is closed; open another one.')
  }
  const track = <T>(asked: Promise<T>): Promise<T> => {
    const ended = () => void underWay.delete(asked)
    underWay.add(asked)
    asked.then(ended, ended)
    return asked
  }
  const guard = (desk: Desk): Desk =>
    Object.fromEntries(
      Object.entries(desk).map(([name, each]) => {
        if (typeof each === 'string') return [name, each]
        if (typeof each !== 'function') return [name, guard(each)]
        const ask = async (...given: never[]) => {
          check()
          return each(...given)
        }
        return [name, (...given: never[]) => track(ask(...given))]
      }),
    )

  return {
    get isClosed() {
      return isClosed
    },
    check,
    track,
    guard: <Asked extends object>(desk: Asked) => guard(desk as Desk) as Asked,
    async close() {
      isClosed = true
      // What was asked may ask for more on its way.
      while (underWay.size > 0) await Promise.allSettled(underWay)
    },
  }
}
