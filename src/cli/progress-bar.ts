// A bar on stderr that tells how far a long run is; on a terminal only, and drawn at most ten times a second.
import type { Terminal } from './terminal.ts'

const width = 28
const redrawMs = 100

export interface ProgressBar {
  step(label: string): void
  /** Removes the bar. */
  end(): void
}

export function progressBar(total: number, terminal: Terminal): ProgressBar {
  const { progress } = terminal
  if (progress === undefined) return { step: () => {}, end: () => {} }
  let done = 0
  let drawn = Number.NEGATIVE_INFINITY
  return {
    step(label) {
      done++
      const now = performance.now()
      if (now - drawn < redrawMs) return
      drawn = now
      progress(barText(done, total, label))
    },
    end: () => progress(''),
  }
}

export function barText(done: number, total: number, label: string): string {
  const full = Math.round((width * done) / total)
  return `${'█'.repeat(full)}${'░'.repeat(width - full)} ${done}/${total}  ${label.slice(-40)}`
}
