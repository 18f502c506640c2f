// How a person reads the end of a call: a sentence for each effect and for each next action.
import type { Effect } from '../contract/call/answer.ts'
import type { NextAction } from '../contract/taxonomy.ts'

export const effectWords: Readonly<Record<Effect, string>> = {
  none: 'nothing was changed',
  happened: 'it happened',
  unknown: 'it is not known yet whether it happened',
  pending: 'nothing was done; a person is asked',
}

/** What an agent's next action means to the person who tries the call by hand. */
export const nextSteps: Readonly<Record<NextAction, string>> = {
  continue: 'Nothing; the call is finished.',
  inspect_partial_result: 'Look at what is there and what is missing, then decide about the rest.',
  repair_arguments: 'Correct the fields named and make the call again.',
  replan_or_ask_user: 'The arguments break a rule: choose others, or ask the person who wanted this.',
  choose_available_tool: 'Call one of the tools that are offered.',
  discover_tool: 'Discover the tool first, then call it.',
  stop_and_report: 'Stop here and report; the same call will be refused again.',
  refresh_state_and_replan: 'Read the target again, then decide anew.',
  await_approval:
    'A person has to approve; on the command line: proviso approvals approve, or the same command with --approve.',
  request_budget: 'Have the budget of the run raised, or finish with what there is.',
  retry_after_delay: 'Wait, then make the same call again.',
  use_new_operation: 'Use a new operation for a new intent.',
  await_resolution: 'Do not repeat it: a person has to find out whether the effect is there.',
  accept_effect: 'The effect is there; take it as it is and do not repeat the call.',
  run_compensation: 'The effect is there and wrong: have it undone.',
  classify_before_retry: 'Find out what failed before anything is repeated.',
}
