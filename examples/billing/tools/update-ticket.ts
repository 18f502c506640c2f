// MEDIUM_RISK_WRITE: changes a ticket, but only the version of it that the agent has seen.
import { defineTool } from '../../../src/index.ts'
import { expectedVersion, ticketId } from '../fields.ts'
import type { Desk } from '../world/desk.ts'
import { originOf } from './origin.ts'

export const updateTicket = (desk: Desk) =>
  defineTool({
    name: 'update_ticket_v1',
    owner: 'support',
    description:
      'EXECUTE ONLY to change status, priority or assignee of a support ticket, or to add an internal comment. ' +
      'Colleagues see it; the customer is not told.',
    useWhen: ['You have read the ticket and know its version.'],
    avoidWhen: ['Answering the customer.', 'Anything about an invoice itself.'],
    effect: 'MEDIUM_RISK_WRITE',
    scopes: ['tickets:write'],
    tenantScoped: true,
    resource: '/ticket_id',
    locks: ['/ticket_id'],
    input: {
      type: 'object',
      properties: {
        ticket_id: ticketId,
        expected_version: expectedVersion,
        change: {
          type: 'object',
          description: 'What to change; what is left out stays as it is.',
          minProperties: 1,
          properties: {
            status: { type: 'string', enum: ['open', 'waiting', 'resolved'] },
            priority: { type: 'string', enum: ['low', 'normal', 'high'] },
            assignee: {
              type: ['string', 'null'],
              minLength: 1,
              maxLength: 40,
              description: 'Login, or null for no person.',
            },
            comment: { type: 'string', minLength: 1, maxLength: 2000, description: 'For colleagues.' },
          },
          additionalProperties: false,
        },
      },
      required: ['ticket_id', 'expected_version', 'change'],
      additionalProperties: false,
    },
    output: {
      type: 'object',
      properties: { ticket_id: { type: 'string' }, version: { type: 'integer' } },
      required: ['ticket_id', 'version'],
      additionalProperties: false,
    },
    examples: [
      {
        description: 'Resolve a ticket and say why.',
        arguments: {
          ticket_id: 'tck_301',
          expected_version: 3,
          change: { status: 'resolved', comment: 'Invoice sent.' },
        },
      },
    ],
    trusted: true,
    rules: [
      {
        id: 'resolved-with-a-comment',
        fields: ['/change/comment'],
        message: 'Say in a comment how the ticket was resolved.',
        when: '!has(args.change.status) || args.change.status != "resolved" || has(args.change.comment)',
      },
    ],
    state: {
      async read({ ticket_id }) {
        const ticket = await desk.ticket(ticket_id)
        if (ticket === undefined) return null
        // The approver is shown our own fields, not the customer's words.
        const { subject: _subject, message: _message, ...fields } = ticket
        return fields
      },
      match: [{ argument: '/expected_version', state: '/version' }],
      after: (ticket, { expected_version, change: { comment: _, ...fields } }) => ({
        ...ticket,
        ...fields,
        version: expected_version + 1,
      }),
    },
    async execute({ ticket_id, expected_version, change }, context) {
      await desk.ticketChanges.append({ ...originOf(context), ticket_id, change })
      return { ticket_id, version: expected_version + 1 }
    },
    async verify({ ticket_id }, _result, { callId }) {
      const entries = (await desk.ticketChanges.read()).filter(
        (entry) => entry.call_id === callId && entry.ticket_id === ticket_id,
      )
      if (entries.length === 0) return { status: 'absent', message: "The ticket's history does not show this change." }
      return entries.length === 1
        ? { status: 'verified' }
        : { status: 'failed', message: `The ticket's history shows this change ${entries.length} times.` }
    },
  })
