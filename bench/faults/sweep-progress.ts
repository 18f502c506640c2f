// Says on stderr how far a sweep is: as a bar on a terminal, and as a line every few seconds where the command asks for it. What a
// scenario found is said as soon as it is over, in any case.
import { progressBar } from '../../src/cli/progress-bar.ts'
import type { Terminal } from '../../src/cli/terminal.ts'
import type { Swept } from './run-faults.ts'

export interface SweepProgress {
  /** Call what it gives after each run. */
  begin(scenario: string, total: number): () => void
  end(swept: Swept): void
}

const lineMs = 10_000

export function sweepProgress(terminal: Terminal, asked: boolean): SweepProgress {
  return {
    begin(scenario, total) {
      const bar = progressBar(total, terminal)
      let done = 0
      let said = performance.now()
      return () => {
        bar.step(scenario)
        if (++done === total) bar.end()
        if (!asked || performance.now() - said < lineMs) return
        said = performance.now()
        terminal.note(`${scenario}: ${done} of ${total}`)
      }
    },
    end(swept) {
      terminal.progress?.('')
      terminal.note(sweptText(swept))
      for (const problem of swept.problems) terminal.note(`  ${problem}`)
    },
  }
}

/** In one line: how much was tried, what had to be done about it, and every count that should be zero and is not. */
export function sweptText({ name, counts, seconds, isWhole }: Swept): string {
  const { runs, points, recovered, held } = counts
  const tried = `${runs} runs at ${points} points, ${recovered} recovered, ${held} held, ${seconds} s`
  const found = Object.entries({
    'effects twice': counts.double_effects,
    lost: counts.lost_acknowledged,
    stuck: counts.stuck,
    'facts missing': counts.facts_missing,
    'false answers': counts.false_answers,
    'held needlessly': counts.held_needlessly,
    unreached: counts.unreached,
  }).flatMap(([what, count]) => (count > 0 ? [`${count} ${what}`] : []))
  return `${name}: ${tried}; ${found.length === 0 ? 'nothing found' : `found ${found.join(', ')}`}${isWhole ? '' : ' (stopped)'}`
}
