// What this project promises, one row each. A test cites its row by ending its title with the id in brackets, as in
// `it('answers a repeated charge from the record [same-operation-replays]')`; promises.test.ts fails on a row that no test cites and on
// a citation that is no row.

export const promises = {
  // The pipeline
  'phases-in-order': 'Every call passes the same 21 phases in the same order, and the list is one table.',
  'every-reason-is-declared': 'A phase stops only with a class and a reason that its row names.',
  'call-never-throws': 'call() returns an answer for every proposal, also where the code of the host fails.',
  'facts-for-each-phase': 'Each phase that ran leaves one fact, in order, with what it saw and what it decided.',
  'replay-reaches-verdicts': 'Deciding a recorded call again from its facts reaches every recorded verdict.',
  'observation-is-closed': 'Every observation fits the published, closed observation schema.',
  'response-follows-table': 'The response vector follows from class, effect and contract; nothing loosens fail-closed.',

  // Which tool
  'unknown-tool-near-names': 'An unknown tool is refused, and the nearest names are given.',
  'hostile-tool-names': 'Names such as __proto__, constructor or toString are unknown tools like any other.',
  'aliases-resolve': 'A tool answers to its aliases under its own name.',
  'deferred-until-discovered': 'A deferred tool is refused with a hint until its discovery is recorded for the run.',
  'surface-never-widens': 'A surface taken earlier is not widened by what is registered later.',
  'blocked-tool-refused': 'A blocked or sunsetted tool is refused with the reason, and a role sees only its own tools.',

  // Versions and releases
  'versions-side-by-side':
    'Several versions of a tool are registered at once; the highest active one is current, and a prerelease never by itself.',
  'facts-carry-the-version': 'The first fact of a call says which version it got, under which contract, and why.',
  'canary-by-run':
    'A canary gets its share of the runs, the same in every process, and a run keeps the version it began with.',
  'versions-are-decided':
    'Who promoted or rolled back what, when and why is on record, and holds in every process a second later.',
  'rollback-takes-back': 'A version that was rolled back is taken from the runs that began with it, and they are told.',
  'waiting-call-keeps-its-version': 'A call that waits for a person is run in the version that the person was shown.',
  'sunset-by-the-clock':
    'A version is refused from 00:00 UTC of its sunset date on, also on an old surface and after a wait.',
  'versions-compared':
    'Two versions are compared by the calls on record: statuses, effects, latency, refusals by phase.',
  'release-is-whole':
    'A release is promoted and rolled back whole; a call that does not fit its release is refused without effect.',

  // Reading the arguments
  'strict-reading': 'Duplicate keys, lone surrogates, __proto__, too deep, too large and inexact numbers are refused.',
  'null-arguments-are-empty': 'Absent or null arguments count as an empty object.',
  'parsed-arguments-are-copied': 'An object that an SDK parsed is copied once; later changes to it reach nothing.',
  'different-values-different-hashes': 'Different JSON values never share a hash, and equal ones always do.',

  // Text of others
  'expressions-are-judged':
    'Every regular expression is linear by its form, or run by re2js, or has a stated bound on the text that it meets.',
  'large-text-in-slices':
    'While large text of others is worked through, or compared with what was approved, the event loop takes its turns.',
  'text-in-linear-time': 'What looks at texts of others takes time in proportion to them, whatever they hold.',

  // Validation
  'validation-at-any-depth': 'Field errors are found and named at any depth of the arguments.',
  'all-errors-at-once': 'One refusal carries every field error, and the worst kind names the class.',
  'closest-branch-explained': 'Where no alternative matches, the errors of the closest one are told.',
  'did-you-mean': 'A misspelled or re-cased field or value is answered with the declared one.',
  'sensitive-never-shown': 'The value of a sensitive argument appears in no error, packet, fact or hook input.',
  'validator-and-explainer-agree': 'The explainer names an error exactly when the validator refuses.',
  'five-schema-libraries':
    'Zod, Valibot, ArkType, TypeBox and Effect schemas are taken, closed, and run their own checks too.',
  'rules-across-fields':
    'A rule that a schema cannot express refuses with its sentence, and one that fails to judge refuses.',
  'setup-is-checked-first': 'A call whose tool lacks what it needs is refused before a person is asked.',

  // The prover
  'proven-means-contained': 'Where inclusion is proven, no value of R is refused by L.',
  'witness-checked':
    'A refutation carries a value that R accepts and L refuses, as validators of different making agree.',
  'unknown-is-never-empty': 'A search that ran out or met what it cannot model is unsupported, never a proof.',
  'unsupported-is-named': 'What the prover does not support is named with its side, its construct and its place.',
  'prover-deterministic': 'The prover counts steps and reads no clock: the same question has the same answer.',
  'every-keyword-is-proven': 'Every asserting keyword of the normal form has its row in the table of the prover.',
  'closed-by-meaning': 'Whether a schema is closed is judged by its values, through allOf and references.',
  'assumed-formats-are-listed': 'A proof lists the formats that it took for descriptions.',
  'samples-obey': 'Values made from a schema obey it, near misses do not, and a seed makes the same ones again.',

  // What models are shown
  'formats-fit-the-provider':
    'Each provider gets tools in its own shape and strict subset; what that cannot say is told in words, and no secret is.',
  'projection-proven-or-listed':
    'What a provider lets a model write obeys the tool, or each constraint that only this side checks is listed.',
  'refused-projections-say-why':
    'A schema that a strict mode cannot take is refused with the reason; the tool is offered without it, or left out.',
  'request-limits-are-told':
    'Tools that one request cannot hold strictly are offered without it, each with the reason.',
  'provider-names-resolve':
    'A name that a provider does not take is replaced by a stable one that no other tool has, and calls by it find the tool.',
  'annotations-from-the-contract': 'Hints over MCP say what the contract says.',
  'null-for-optional-undone':
    'Null for an argument that may be absent is taken out before hashing, on record, and only where it can mean nothing else.',
  'one-slot-across-providers': 'The same operation has the same slot, whichever provider proposes it.',
  'tenants-narrowed-by-proof':
    'A tenant may be offered less by a schema that is proven narrower; it is shown and enforced, on every surface.',

  // Whom a tool may reach
  'egress-is-held-to-the-contract':
    'A tool connects to whom its egress policy and its binding name, and to no other host.',
  'unwatched-programs-refused':
    'A program that may connect unwatched is refused under every egress policy that says where to.',
  'addresses-are-checked':
    'Every address of a host is judged before it is connected to; link-local, mapped, translated and carrier addresses never pass.',
  'names-are-pinned':
    'A name is resolved once for a request, and only the addresses that were judged are connected to.',
  'redirects-are-judged-again':
    'A redirect is judged like the first request, leaves credentials behind, and never carries a change to another origin.',
  'values-stay-values': 'An argument in a URL, a header or a body is a value there, and never becomes anything else.',
  'responses-are-bounded': 'A response is cut off at its size and at the time of the call, also while it unpacks.',
  'recipients-are-checked': 'A live mail goes to people on its list only; what is not one plain address is refused.',

  // Who may
  'unknown-tenant-refused': 'A tenant that is not known is refused.',
  'missing-run-refused': 'A tool that changes something is refused without a run.',
  'missing-scope-refused': 'A call without every required scope is refused.',
  'any-deny-wins': 'Of all who may object any deny wins, then the first ask, then allow; every voice is recorded.',
  'hook-input-judged-again': 'Input that a hook changed is validated from the start.',
  'rules-are-compiled':
    'A rule that does not compile, reads what is not declared or cannot be bounded is refused at registration.',
  'rules-read-state': 'A rule that reads the state is judged on the state that was read, held to its schema.',
  'permission-rules':
    'Permission rules of organisation, project, user and run are heard in order, and each is on record.',
  'denials-escalate': 'A denial of a grave tool, and the third of any tool in one run, is put before a person once.',
  'cedar-decides':
    'Policies in Cedar deny, ask or permit; one that cannot be judged denies, and the decision names policy and version.',
  'arguments-are-data': 'Nothing in the arguments is taken for an entity, an extension or an approval.',
  'labels-only-grow': 'What a run has seen is marked by contracts, before the answer is given, and never unmarked.',
  'children-inherit-labels': 'What one run of a family has seen, all of them count as having seen.',
  'family-at-constant-cost':
    'A run joins a family, and a family gains a label, at the same cost however many runs it has, and no other run waits.',
  'stale-labels-admit-nothing': 'A label that another process has set is seen by the next call of the run.',
  'untrusted-writes-ask': 'A medium-risk write of an untrusted run needs a person.',
  'confidential-stays-in': 'A run that has read confidential data calls no tool that may connect anywhere.',
  'hook-allow-overrides-nobody': "A hook's allow overrides no deny and no ask.",
  'six-hook-events': 'Hooks are told of six moments, and their answers do what the moment admits.',
  'class-table': 'Every obligation of every effect class holds.',
  'hook-runs-once': 'What a hook said is asked once per call and reused on every later pass.',
  'failing-hook-refuses': 'A hook or policy that fails refuses the call.',
  'access-is-a-matrix':
    'Every public method is refused to another tenant, user, agent and role for every kind of thing, or declared shared with a reason.',
  'identity-names-a-tenant': 'A credential whose identity names no tenant, or one that does not exist, opens nothing.',
  'pins-need-the-installation':
    'What others publish is approved by a role of the installation; no role of a tenant is enough.',
  'roles-at-the-call': 'A surface that was taken by another lets a caller call only what their own roles may see.',
  'malformed-surface-is-answered':
    'A context.surface that surface() did not give is refused with an answer, and is never taken for the whole.',
  'tenants-isolated': 'Calls, operations, approvals and budgets of one tenant are invisible to another.',

  // One effect per operation
  'same-operation-replays': 'A second call of the same operation gets the first answer and runs nothing.',
  'changed-operation-refused': 'The same operation with other arguments is refused.',
  'same-arguments-once-per-run': 'The same risky call emitted again in a run executes once, and says so.',
  'concurrent-duplicates-once': 'Two identical calls at the same time have one effect.',
  'unknown-effect-is-held': 'An unknown effect is reported as unknown, held and escalated, and never retried blindly.',
  'late-settle-resolves': 'An attempt that ends after its call was answered resolves its own held operation.',
  'declined-may-be-tried-again':
    'An operation that failed for good without an effect may be tried again by a new call.',
  'retried-only-when-safe':
    'A failed operation runs again only where its class may be retried and no effect can stand.',
  'effect-never-understated': 'What refuses after an effect happened reports that effect, never none.',
  'idempotency-key-is-stable': 'Every attempt of one operation hands the same key to the provider.',

  // A durable ledger
  'batch-hurts-nobody': 'One call that the database refuses hurts no other of its batch.',
  'admission-sent-again-is-one': 'An admission sent again after a cut connection is the same admission.',
  'silent-connection-is-cut':
    'A connection on which no answer comes in time is cut, and what was sent on it is sent again and counts once.',
  'closing-waits':
    'A ledger or a Proviso that is closed ends what is under way first, refuses by name what comes later, and is closed once.',
  'stored-is-read-as-written': 'What was stored of a call and of its answer is read as it was written, for ever.',
  'reader-role-leaves-nothing': 'Nothing of a tenant’s reading is left on a connection for the next one.',
  'sql-follows-model': 'The ledger in SQL and the one in memory come to the same answers after every history.',
  'verdicts-are-frozen':
    'What the ledger decides is written down as data, for every combination of record, request and clock; each engine comes to it.',
  'trailing-facts-not-lost': 'Closing writes every fact that trails its answer, and a full queue makes callers wait.',
  'migrations-once': 'Any number of processes may open an empty database at once.',
  'dead-owners-are-known':
    'That a process was killed is known as soon as its session in the database has ended; an absence counts a horizon after that was found out.',
  'sleeping-owners-are-cut-off':
    'Absence counts only once the owner is dead or cut off: one that slept meanwhile does nothing when it wakes.',
  'options-are-refused':
    'An option that is misspelt or cannot be meant is refused by name before anything is opened, with what to write instead.',
  'older-ledgers-are-refused':
    'A ledger whose tables or functions are of another text is refused, and the message says of which.',
  'two-versions-at-once':
    'Tables change forward only, and the functions of a version stay for the next one: two versions may work on one ledger.',
  'every-order-explored':
    'Every order in which two processes, their calls and what goes wrong can meet is explored, by the rules that the ledger asks.',
  'rules-once': 'What the database decides by is written from the tables that memory decides by, and is never stale.',
  'killed-after-effect-once':
    'A process killed between effect and settle leaves one effect, and its call comes to its end.',
  'resolved-by-people': 'What became of a held operation is said by a person, with a reason, and recorded.',

  // State and people
  'stale-state-refused': 'A target that changed, vanished or forbids the call is refused before a person is asked.',
  'approval-asks-a-person': 'A call that needs a person ends at once as pending, with a packet, and nothing was done.',
  'approval-binds-payload': 'An approval counts for exactly the payload that was shown.',
  'approval-executes-once': 'An approved call executes once, however often it is made again.',
  'rejected-stays-rejected': 'A rejected call stays rejected when it is made again.',
  'expired-approval-asks-again': 'An approval that ran out is asked for again.',
  'cut-card-is-opened':
    'A card that cuts an argument says so, and at the command line it is approved only once all of it was shown.',
  'defaults-are-one-operation':
    'Arguments that differ only by a declared default, given or left out, are one operation; what a library fills in never counts.',
  'zero-division-refuses': 'A rule that divides by zero, or comes to no finite number, cannot be judged and refuses.',
  'own-bucket-of-requests':
    'The requests that wait for people are counted for each user and agent in each run, and only those that are open.',
  'quorum-counts-people': 'A quorum counts different people, and one rejection ends it.',
  'decision-needs-credential': 'Only people decide, and each decision needs a credential.',
  'decision-names-its-packet': 'A decision counts for the packet that was displayed, and for no other.',
  'token-holds':
    'A call runs on an approval only by its signed token, bound to call, operation, payload, packet and requirement.',
  'grant-is-narrow':
    'A standing approval covers exactly the calls that its people looked at, for its principal, agent and contract.',
  'grant-never-exceeded': 'Of a standing approval never more is used than its count and its total.',
  'grant-revoked-at-once': 'A revoked standing approval admits no further call.',
  'resolved-by-quorum': 'What became of a held operation is said by as many people as its class demands.',
  'packet-shows-plainly': 'Nothing in the arguments can change what a packet seems to say.',
  'judged-again-after-wait': 'Permission, policy and state are judged again after the wait for a person.',
  'resume-on-decision': 'Where the call asked so, the decision itself runs it.',

  // Limits and order
  'budget-per-run': 'A run that has used up its budget is refused, and a refused call costs nothing.',
  'money-never-overspent':
    'Calls at the same time spend a sum exactly: never more, and no call whose part fits is refused.',
  'amount-must-be-countable':
    'An amount that is missing, negative, too fine or in a currency without a budget is refused before a person is asked.',
  'cost-is-debited': 'What a call costs by its contract is taken from the financial budget, also of a read.',
  'reservation-settled-once':
    'What an attempt reserved is given back once, to its own window, where nothing happened; the unknown stays reserved.',
  'budget-tells-what-is-left':
    'A refusal says which limit, what is used and left, when it begins anew, and what to do.',
  'limit-raised': 'A raise allows more until its window ends, counts once, and is kept with who did it and why.',
  'rate-window': 'Calls beyond the rate of a tool are refused with the time to wait.',
  'locks-serialize': 'Mutating calls of one run, and calls with equal locks, run one after another.',
  'batch-answers-all':
    'Every proposal of a batch gets exactly one answer, on record, also when siblings fail or the caller goes away.',
  'batch-keeps-order':
    'Calls of a batch that lock the same resource run in the order of the proposals, and no call runs beside a writer.',
  'batch-sibling-policy':
    'What a failed call means for its siblings is what the batch says: nothing, all, or those that depend on it.',
  'batch-labels-in-time': 'A call of a batch is judged by what every earlier sibling has shown the run.',
  'nested-calls-do-not-deadlock':
    'A call that a tool makes works under the locks of that tool, and is refused where it would wait for itself.',
  'cancel-before-start': 'A call cancelled before it started did nothing and says so.',
  'asks-before-it-acts':
    'Every executor asks at its last moment whether it may still act, and what it may not do any more is not to be seen.',
  'paused-owner-does-nothing':
    'A process that stood still past its lease or its time does nothing when it wakes and looks, also where no timer has fired.',
  'longer-clock-counts': 'Leases and the time of an attempt are counted by the longer of monotonic and wall time.',
  'signal-compares-time': 'Reading the signal of an attempt compares the time itself, also where no timer has fired.',
  'timeout-is-unknown': 'A mutating tool that does not finish in time has an unknown effect; a read has none.',

  // Secrets
  'secrets-are-scrubbed':
    'What an executor returns, throws or streams has lost its secrets, in any encoding, before a person, a model or a record gets it.',
  'credentials-after-admission':
    'Secrets are found after admission, for one tenant, user and tool, given to the executor alone, and gone with its start.',
  'verifier-has-own-credentials':
    'A verifier is given the secrets of the verification alone, for the reading, and what it says has lost them.',
  'credentials-per-tenant': 'What one tenant, user or reference is called never leads to the secret of another.',
  'credential-missing':
    'Without every secret that it asks for nothing is started, and the answer says which is missing.',
  'retries-are-recorded':
    'Every start is on record with its outcome and pause; one that would be unsafe is not made, and counted.',
  'starts-are-counted':
    'A further start of a call counts against the rate of its tool, of a paid read against money, or is not made.',
  'deadline-is-kept': 'Nothing is started or tried again that the time given by the caller does not hold.',

  // Results
  'executor-failures-classified':
    'An executor that throws, hangs or fails on purpose gives the right class and effect.',
  'effect-as-the-world':
    'Whatever comes back to an executor, what the answer says of the effect does not contradict what is to be seen in the world.',
  'bad-result-is-not-retried':
    'A result of the wrong shape or that is not JSON is reported as happened, and not retried.',
  'verifier-failure-compensates': 'An effect that the verifier does not find is COMPENSATION_REQUIRED and escalated.',
  'predicates-decide':
    'Whether an effect is as it should be is decided by declared predicates, and a difference has one name.',
  'verified-later':
    'A verification that is put off, or whose process died, is done later by any process and amends the answer.',
  'one-verification-fact': 'The last reading of an effect is recorded once, also when processes race or die.',
  'unverifiable-is-said': 'An effect that could not be read back is said to be unverifiable.',
  'library-value-unchanged':
    "On success the caller gets the tool's own value, unchanged, in a copy that no other code holds.",
  'large-results-are-cut': 'A result beyond its inline size, or with redacted fields, is marked as such.',
  'result-status-is-told': 'Every answered call says what became of its result, a duplicate the same as the first.',
  'partial-work-is-told': 'Work done in part is PARTIAL_SUCCESS with its steps, stands, and is never done again.',
  'kept-by-classification':
    'How much of a result is shown and kept follows from its size, its classification and the binding; a secret is nowhere kept.',
  'stored-results-need-permission':
    'A stored result is read only with permission, and its labels reach the run that reads it.',
  'no-read-store-read': 'What a stored result is read back as is not stored once more.',
  'output-is-cleaned':
    'Control sequences, invisible characters and marks of direction reach no model and no person; what scripts and pictures need of them stays.',
  'injections-are-flagged':
    'What speaks to the model is flagged in answer and facts, and the run is labelled either way.',

  // Databases and servers of tools
  'arguments-never-become-sql': 'Every argument reaches a database as one bound value of its declared type.',
  'reads-cannot-write': 'A statement that is declared to read cannot write, also by the functions it calls.',
  'tenants-stay-apart-in-sql':
    "A statement sees and changes its own tenant's rows alone, where the tables have row policies.",
  'sql-commits-with-record': "Statements in the ledger's own database take effect exactly when their record says so.",
  'mcp-call-is-sent-once':
    'A call of an MCP tool is sent once; it is sent again only where the server cannot have heard it.',
  'mcp-server-is-answered': 'A request of an MCP server is answered at once, so that its call does not wait for it.',
  'mcp-host-answers-questions':
    'A question of an MCP server to a person is put to the host for the call it belongs to, and to no other.',
  'mcp-arguments-in-headers': 'Arguments that an MCP tool marks for it are mirrored into header lines, encoded.',
  'mcp-programs-one-tenant':
    'An MCP server that may keep something of its callers serves one tenant alone, unless it is declared stateless.',
  'pins-keep-no-call-busy':
    'A call is refused at once where its pinned tool has changed, as large as the definition is that is served.',
  'functions-show-their-parts':
    'What a function yields or reports is shown while it runs; what it returns is the result.',

  // Programs and files
  'argv-never-split': 'An argument is one argument of the program and never an option; nothing passes a shell.',
  'clean-environment': 'A program sees the variables that its binding lists, and nothing of our own environment.',
  'no-silent-downgrade': 'Where isolation is demanded and there is none, the tool is refused; it never runs without.',
  'programs-are-limited': 'A fork bomb, endless output, a spin, a memory hog and an endless file end at their limits.',
  'nothing-outlives-its-call':
    'What a program starts ends with its call, also when it leaves its group, or when we are killed once it runs.',
  'hostile-program-reaches-nothing':
    'A hostile program reaches only what the guide says that it may, as root and as a user, in the sandbox and without it.',
  'tenants-run-as-their-own-users':
    'As root, a program without a sandbox runs as a user of its own tenant, or it is refused; never as the user of the ledger.',
  'limits-count-all-memory':
    'Inside the sandbox no memory is held that no limit counts, and no key of the kernel is used.',
  'program-judged-at-each-start': 'At each start a program is refused that another user could have replaced.',
  'sandbox-has-no-network': 'Inside the sandbox a program has no connections unless it is given a network.',
  'paths-stay-in-root': 'No path, link, second name or swap leads a file tool out of its root.',
  'one-change-at-a-time':
    'Changes of files in one folder are made one after the other, by all processes of a machine; none that was reported is lost.',
  'deletes-are-soft': 'What a file tool deletes or replaces is kept with a note, and what was deleted comes back.',

  // Sagas
  'saga-in-order':
    'A saga makes its calls in order, each written down before it is made, and is begun once under one operation.',
  'saga-compensates-in-reverse': 'What fails before the pivot is undone in reverse, over exactly what was done.',
  'saga-forward-after-pivot':
    'Behind the pivot a step is tried until it succeeds, and people are asked when that takes long.',
  'saga-slot-closed':
    'Nothing is undone before the slot of the failed step is closed, so that no process can run it later.',
  'saga-waits-for-unknown': 'A saga does not turn back while an effect is unknown.',
  'saga-covered-by-approval': 'The approval of a step covers its compensation: no person is asked for the way back.',
  'saga-heeds-late-readings':
    'A step that is read back later and is not as it should be turns its saga back before the pivot, and asks people behind it.',
  'saga-takes-no-budget': 'A compensation takes from no budget and no rate.',
  'saga-compensation-failed':
    'A compensation that is refused or fails freezes the saga and asks people, with the journal intact.',
  'saga-one-owner': 'A saga has one owner at a time: what an earlier one writes is refused.',
  'saga-resumes-anywhere': 'A saga goes on in any process that knows its definition, and in none that knows another.',
  'saga-orphan-asks':
    'A saga whose definition no process knows any more is frozen after a while, and people are asked; with the definition back, it goes on.',
  'saga-retention':
    'Retention drops sagas that are over, with their journals, and none that is open, frozen or failed.',
  'saga-keeps-release': 'Steps are held against the release a saga was begun with; undoing them is not.',
  'saga-word-of-the-higher-class':
    'What became of a step that is being undone is said by people whom the higher class of the step and its compensation demands.',
  'saga-word-only-in-doubt': 'The word of a person about an effect is taken only where the effect is in doubt.',
  'saga-woken-by-role': 'A saga that waits is woken by people of its tenant with a role that reviews.',
  'saga-asked-pause-capped':
    'No provider makes a saga wait longer than an hour: it looks again then, and people are asked.',
  'fetch-ends-with-call': 'A request of context.fetch ends with its call, its body too, and none is begun after it.',
  'fetch-unreadable-is-error': 'A reply that context.fetch cannot read is an error, and never an empty body.',
  'yaml-says-one-thing':
    'A YAML file in which two readers could see different things is refused: keys that stand twice, other versions, tags.',
  'yaml-in-linear-time': 'A YAML file is read in time that grows with its length.',
  'approval-expiry-stands': 'An approval whose time is over stays so when the clock is set back.',
  'pins-saved-together': 'Pins that are saved at the same time are all kept.',
  'json-steers-no-terminal': 'JSON that a command prints holds no character that steers a terminal or reorders text.',
  'tool-role-own-login':
    'A tool that commits with the ledger is logged in as a role of its own, which can settle its attempt and nothing else of the ledger.',
  'tool-tenant-in-a-row': 'Row policies of tools read the tenant from a row that no tool can write.',
  'deferred-constraint-is-failure':
    'A deferred constraint that a tool breaks is a failure of its call, and not a reason to make the same call again.',
  'statements-read-by-postgres':
    'Statements of tools are read by the parser of Postgres: one statement, which reads or changes rows, and no other.',
  'versions-need-installation-role':
    'On the command line, versions, canaries and releases are decided by people with a role of the installation.',
  'sagas-killed-anywhere':
    'A process that is killed between any two steps of a saga leaves nothing done twice, nothing undone without a reason, and everything ended or asked.',
  'writes-run-to-the-end': 'A statement that writes runs to its end; the cap on rows is on what is returned.',
  'cancel-ends-own-statement': 'A call that is given up ends its own statement, and never that of another call.',
  'saga-marks-are-ours': 'No caller and no model can make a call that counts as a step of a saga.',

  // Capabilities and pins
  'broader-remote-stops-the-session':
    'A remote schema that is broader than the local one stops a session before it is billed, with a call that shows it.',
  'unprovable-remote-stops-the-session': 'A remote schema that cannot be compared with the local one stops a session.',
  'broken-relay-stops-the-session':
    'A relay that answers with anything but capabilities that can be read stops a session.',
  'unreachable-relay-is-warned-of-once':
    'A relay that is old or cannot be reached is warned of once, and the session goes on.',
  'one-probe-for-many-sessions': 'A hundred sessions that begin at once make one request for capabilities.',
  'thousand-tools-in-time': 'Capabilities of a thousand tools are judged within two seconds, and from cache at once.',
  'hostile-envelope-is-bounded': 'Everything that a relay sends is judged with bounded work, and refused beyond it.',
  'capabilities-follow-the-surface': 'Capabilities name the tools that the caller may use, and no others.',
  'pins-let-through-what-was-approved': 'A pinned tool is called only while what is served is what a person approved.',
  'any-change-quarantines': 'Any change of a pinned tool is reported by its rule and quarantines that tool alone.',
  'quarantine-is-kept':
    'What a look has found of a pinned operation holds in every process and after a restart, until a person approves it.',
  'one-bad-tool-hides-no-other': 'One malformed tool of a list never takes the others with it.',

  'answers-belong-to-principals':
    'What an operation returned is given to its run and to the principal it was done for; others learn that it was done.',
  'repairs-are-bounded':
    'A model that only repeats itself is sent back three times at most, by all processes together, and a person is asked once.',

  // The record as it is kept
  'audit-rebuilds-rows':
    'An audit rebuilds slots, answers, results, labels, pins, grants, limits and whatever else decides from facts, and names what differs.',
  'audit-leaves-out-by-name':
    'What an audit does not find is in one table with its reason; every other column of every table is found when it is edited.',
  'contradicted-slot-refuses':
    'A call that meets a slot which is not as its last fact says, or which is gone, is refused, and people are asked.',
  'older-copy-refused':
    'On an older copy of a ledger, by the checkpoint kept outside, nothing is written before a person has acknowledged it.',
  'opening-survives-cuts': 'Opening a ledger survives a connection that is cut at any moment of it.',

  // Registration
  'registration-refuses-by-name': 'A contract that contradicts itself is refused with the name of the contradiction.',
  'critical-needs-durable-ledger': 'A critical mutation is refused on a ledger that a crash would empty.',
  'read-only-costs-nothing': 'A read-only tool needs a name, a description, a schema and a function, and nothing else.',
  'schema-refused-not-ignored': 'A schema that cannot be honoured in full is refused at registration, by pointer.',
  'closedness-is-proven': 'A strict tool whose schema admits an undeclared argument is refused, judged by its values.',
  'unsatisfiable-is-refused': 'A schema that no value satisfies is refused at registration.',
  'tool-files-load': 'Tool files in JSON and YAML load into tools, and a wrong one is refused with the place.',

  'breaks-have-witnesses':
    'Every change of a schema that is called breaking comes with a value that the validators confirm.',
  'no-change-unreported': 'A definition that differs from what was approved is never without a finding.',
  'versions-announce-breaks': 'A version that does not announce what has changed fails, with the least one that would.',
  'operations-become-tools':
    'Operations of OpenAPI documents become tools, and what cannot be taken over is named with its place.',

  // The package
  'rooms-keep-their-arrows': 'A room imports only what the table of rooms names.',
  'one-name-one-thing': 'A name that the source exports means one thing, and no files import each other in a circle.',
  'docs-are-fresh': 'Generated schemas and reference pages equal what the code says, and every snippet its example.',
  'map-is-true': 'The page on architecture shows the files that a call really passes, phase by phase.',
  'package-installs-and-runs':
    "The packed package installs into an empty folder on Node 22.18 and runs the README's first snippet.",
  'package-is-light': 'The package and its dependencies install in at most 8 MB, and importing it loads no validator.',
} as const satisfies Readonly<Record<string, string>>
