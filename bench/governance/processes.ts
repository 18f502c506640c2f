// Processes that take orders and report. A question to one that dies is never answered; the test that kills it does not ask.
import { fork } from 'node:child_process'

export interface Process<Order, Report extends { readonly kind: string }> {
  readonly pid: number
  order(order: Order): void
  /** The next report of this kind; a failed process rejects. */
  next<K extends Report['kind']>(kind: K): Promise<Extract<Report, { kind: K }>>
  /** Resolves when it has ended, for any reason. */
  readonly gone: Promise<void>
  signal(name: 'SIGSTOP' | 'SIGCONT'): void
  kill(): Promise<void>
}

export function startProcess<Order extends object, Report extends { readonly kind: string }>(
  module: URL,
): Process<Order, Report> {
  const forked = fork(module, {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    execArgv: ['--disable-warning=ExperimentalWarning'],
  })
  const reports: Report[] = []
  const waiting: { readonly kind: string; resolve(report: Report): void; reject(error: Error): void }[] = []
  const gone = new Promise<void>((resolve) => forked.on('exit', () => resolve()))
  forked.on('error', () => undefined)
  forked.on('message', (message) => {
    const report = message as Report
    if (report.kind === 'failed') {
      for (const one of waiting.splice(0)) one.reject(new Error(`A process failed: ${JSON.stringify(report)}`))
      return
    }
    const index = waiting.findIndex(({ kind }) => kind === report.kind)
    if (index < 0) reports.push(report)
    else for (const one of waiting.splice(index, 1)) one.resolve(report)
  })
  return {
    pid: forked.pid ?? 0,
    order: (order) => void forked.send(order),
    next(kind) {
      const index = reports.findIndex((report) => report.kind === kind)
      const [known] = index < 0 ? [] : reports.splice(index, 1)
      const report =
        known === undefined
          ? new Promise<Report>((resolve, reject) => waiting.push({ kind, resolve, reject }))
          : Promise.resolve(known)
      return report as Promise<Extract<Report, { kind: typeof kind }>>
    },
    gone,
    signal: (name) => void forked.kill(name),
    async kill() {
      forked.kill('SIGKILL')
      await gone
    },
  }
}
