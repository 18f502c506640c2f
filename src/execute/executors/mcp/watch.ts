// What passes between us and a server, seen from outside of the SDK. Whether a call was sent, and whether anything of it was heard, decides
// what its failure means. Results are taken as they came over the wire: the SDK drops what it does not know, and refuses a whole list for
// one tool; it is handed an empty result in their place. What a server may not ask us is answered, so that it does not wait.
import { AsyncLocalStorage } from 'node:async_hooks'
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client'
import type { ToolError } from '../../../contract/fault.ts'
import type { ExecutionContext } from '../../../contract/tool/executor.ts'
import { withoutLastWord } from '../../../json/text-end.ts'
import { isObject, type JsonObject } from '../../../json/value.ts'
import { lastLook } from '../../attempt/may-act.ts'
import type { Elicit } from './elicit.ts'
import { type Sending, sendFor } from './transport.ts'

/** A call that is under way, as the transport sees it. */
export interface WatchedCall {
  sent: boolean
  /** A request of it was allowed to leave once its connection stood; and whether that was an earlier one than the last. */
  left: boolean
  leftBefore: boolean
  /** The server has begun with it: it told how far it is, or answered that it wants more. What it says later is no word that nothing was done. */
  begun: boolean
  /** Its answer was longer than may be read. */
  tooLarge: ToolError | undefined
  readonly signal: AbortSignal
  readonly mayAct: ExecutionContext['mayAct']
  readonly progress: (text: string) => void
  readonly elicit: Elicit | undefined
  readonly ended: () => void
}

/** One request of ours. */
interface Asked {
  /** Under which it was sent last; a call that wants more is sent several times. */
  id: unknown
  raw: unknown
  readonly call: WatchedCall | undefined
}

export interface Watch {
  readonly calls: Map<unknown, WatchedCall>
  /** The result of a request as it came over the wire. */
  ask(send: () => Promise<unknown>, call?: WatchedCall): Promise<unknown>
  /** The call that a request of the server belongs to, where that can be known. */
  askedFor(): WatchedCall | undefined
  /** Once the revision is known. */
  begin(modern: boolean, listChanged: () => void): void
}

const maxProgressLength = 500
const methodNotFound = -32601
/** So many answers of ours may be under way at once: a server that asks more in a moment is not answered, and waits. */
const mostAnswers = 64
/** A result that every revision takes, of a call as of a list. */
const nothing = { resultType: 'complete', content: [], tools: [], ttlMs: 0, cacheScope: 'private' }

export function watchTransport(transport: Transport): Watch {
  const calls = new Map<unknown, WatchedCall>()
  const asking = new AsyncLocalStorage<Asked>()
  const unanswered = new Map<unknown, Asked>()
  const send = transport.send.bind(transport)
  let answers = 0

  transport.send = async (message, options) => {
    const asked = 'method' in message && 'id' in message ? asking.getStore() : undefined
    const id = 'id' in message ? message.id : undefined
    if (asked !== undefined) {
      asked.id = id
      unanswered.set(id, asked)
    }
    const call = isCall(message) ? asked?.call : undefined
    const sending: Sending = { mayAct: undefined, streamed: true, tooLarge: undefined }
    if (!('method' in message)) {
      if (answers >= mostAnswers) return
      answers++
      return sendFor(sending, () => send(message, options)).finally(() => {
        answers--
      })
    }
    if (call === undefined) return sendFor(sending, () => send(message, options))
    // A program is written to at once; over HTTP a connection may come first, and it is asked again when that stands.
    lastLook(call)
    call.sent = true
    call.leftBefore = call.left
    sending.mayAct = () => {
      const may = call.mayAct()
      call.left ||= may
      return may
    }
    sending.tooLarge = (error) => {
      call.tooLarge = error
    }
    const endedUnanswered = () => {
      if (unanswered.delete(id)) call.ended()
    }
    // Over HTTP its exchange ends with its answer, and when its caller goes away.
    const requestSignal = options?.requestSignal ?? call.signal
    await sendFor(sending, () => send(message, { ...options, requestSignal, onRequestStreamEnd: endedUnanswered }))
    // A document was read to its end: nothing more comes.
    if (!sending.streamed) endedUnanswered()
  }

  /** An answer, to the request that waits for it. */
  const answer = (message: JSONRPCMessage, modern: boolean, hear: (message: JSONRPCMessage) => void): void => {
    const { id, result } = message as { readonly id?: unknown; readonly result?: unknown }
    const key = typeof id === 'string' ? Number(id) : id
    const asked = unanswered.get(key)
    if (asked === undefined) {
      hear(message)
      return
    }
    unanswered.delete(key)
    // What follows from the answer belongs to the same request.
    asking.run(asked, () => {
      if (!isObject(result)) return hear(message)
      const wantsMore = asked.call !== undefined && modern && result.resultType === 'input_required'
      if (!wantsMore) {
        asked.raw = result
        return hear({ ...message, result: nothing } as JSONRPCMessage)
      }
      if (asked.call !== undefined) asked.call.begun = true
      hear(message)
    })
  }

  return {
    calls,
    async ask(request, call) {
      const asked: Asked = { id: undefined, raw: undefined, call }
      try {
        await asking.run(asked, request)
        return asked.raw
      } finally {
        unanswered.delete(asked.id)
      }
    },
    askedFor: () => asking.getStore()?.call ?? (calls.size === 1 ? [...calls.values()][0] : undefined),
    begin(modern, listChanged) {
      const hear = transport.onmessage
      transport.onmessage = (message, extra) => {
        const method = 'method' in message ? message.method : undefined
        if (method === 'notifications/tools/list_changed') listChanged()
        if (method === 'notifications/progress') {
          // Heard before the SDK does: it forgets a call with its answer, and with it the progress that came just before.
          const { params = {} } = message as { readonly params?: JsonObject }
          const call = calls.get(params.progressToken)
          if (call === undefined) return
          call.begun = true
          call.progress(progressText(params))
        } else if (method === undefined) answer(message, modern, (given) => hear?.(given, extra))
        // By the revision of 2026 a server asks nothing. One that does is told so; the SDK would leave it waiting.
        else if (modern && 'id' in message && message.id !== undefined) refuse(message.id)
        else hear?.(message, extra)
      }
    },
  }

  function refuse(id: string | number): void {
    const error = { code: methodNotFound, message: 'Method not found' }
    transport.send({ jsonrpc: '2.0', id, error }).catch(() => undefined)
  }
}

const isCall = (message: JSONRPCMessage): boolean => 'method' in message && message.method === 'tools/call'

function progressText({ progress, total, message }: JsonObject): string {
  const done = typeof progress === 'number' ? String(progress) : '?'
  const share = typeof total === 'number' ? `${done}/${total}` : done
  const text = typeof message === 'string' ? `${share} ${message}` : share
  // Without the word that it cuts: half of a secret would not be known for one.
  return text.length <= maxProgressLength ? text : withoutLastWord(text.slice(0, maxProgressLength))
}
