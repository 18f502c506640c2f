// How a ledger is closed: work that began before ends, later requests are refused by name. Every engine closes so.
import { Fault } from '../contract/fault.ts'
import { timerMs } from '../json/clock.ts'
import type { Ledger } from './ports/ledger.ts'

export const closedFault = (): Fault => new Fault('closed', 'The ledger is closed. Open it again to go on with it.')

/** How an engine ends. */
export interface LedgerEnd {
  /** For how long what is under way is waited for. */
  readonly patienceMs: number
  /** Nothing is asked of it any more. */
  end(): Promise<void>
}

/** The same ledger, which can be closed at any moment, and as often as wanted. */
export function closable(ledger: Omit<Ledger, 'close'>, { patienceMs, end }: LedgerEnd): Ledger {
  let closing: Promise<void> | undefined
  let underWay = 0
  let quiet: () => void = () => undefined

  const ended = () => {
    underWay--
    if (underWay === 0) quiet()
  }

  const guarded = <Method extends (...args: never[]) => unknown>(method: Method) =>
    ((...args: Parameters<Method>) => {
      if (closing !== undefined) return Promise.reject(closedFault())
      const answer = method(...args)
      if (answer instanceof Promise) {
        underWay++
        answer.then(ended, ended)
      }
      return answer
    }) as Method

  const guardedPort = <Port extends object>(port: Port): Port =>
    Object.fromEntries(
      Object.entries(port).map(([name, method]) => [name, typeof method === 'function' ? guarded(method) : method]),
    ) as Port

  const close = async () => {
    const ends = new Promise<void>((resolve) => {
      quiet = resolve
    })
    if (underWay > 0) await atMost(patienceMs, ends)
    await end()
  }

  const ports = Object.fromEntries(
    Object.entries(ledger).map(([name, port]) => [name, typeof port === 'object' ? guardedPort(port) : port]),
  ) as Omit<Ledger, 'close'>
  const { mayAct } = ledger.operations
  return {
    ...ports,
    // Work that could not be recorded is not begun.
    operations: { ...ports.operations, mayAct: (nonce) => closing === undefined && mayAct(nonce) },
    close() {
      closing ??= close()
      return closing
    },
  }
}

/** Waits for it, and goes on without it when the time is over. */
export async function atMost(ms: number, work: Promise<unknown>): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise((resolve) => {
    timer = setTimeout(resolve, timerMs(ms))
  })
  try {
    await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
