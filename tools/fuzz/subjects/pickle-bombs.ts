/** Pickles that would run code, lie about lengths, or cost far more than their size; for a meta.pkl and for a checkpoint. */

const bytes = (...parts: readonly (string | readonly number[] | Uint8Array)[]): Buffer =>
  Buffer.concat(
    parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : Buffer.from(part as Uint8Array))),
  );

const u32 = (value: number): Buffer => {
  const out = Buffer.alloc(4);
  out.writeUInt32LE(value >>> 0);
  return out;
};

/** As much as a pickle may be long, nearly. */
const LARGE = 4_000_000;

/** The piece again and again, to the size of a large pickle. */
const filled = (piece: string | Uint8Array, size = LARGE): Buffer => {
  const one = Buffer.from(piece as string, 'latin1');
  return Buffer.alloc(Math.floor(size / one.length) * one.length, one);
};

/** A command that would leave a file behind; the processes of the cases run in folders of their own. */
const COMMAND = 'touch was-run';
const name = (module: string, attribute: string): string => `c${module}\n${attribute}\n`;
const shortText = (text: string): string => `\x8c${String.fromCharCode(text.length)}${text}`;

/** Every way in which a pickle names or calls something. */
const calling: Readonly<Record<string, () => Buffer>> = {
  'calls os.system': () => bytes(name('os', 'system'), `(S'${COMMAND}'\ntR.`),
  'calls posix.system by a name on the stack': () =>
    bytes('\x80\x04', shortText('posix'), shortText('system'), '\x93', shortText(COMMAND), '\x85R.'),
  'calls eval': () => bytes('\x80\x02', name('builtins', 'eval'), shortText('__import__("os")'), '\x85R.'),
  'calls getattr': () => bytes('\x80\x02', name('builtins', 'getattr'), shortText('a'), shortText('b'), '\x86R.'),
  INST: () => bytes(`(S'${COMMAND}'\nios\nsystem\n.`),
  OBJ: () => bytes('(', name('os', 'system'), `S'${COMMAND}'\no.`),
  NEWOBJ: () => bytes('\x80\x02', name('subprocess', 'Popen'), shortText(COMMAND), '\x85\x81.'),
  NEWOBJ_EX: () => bytes('\x80\x04', name('subprocess', 'Popen'), ')}\x92.'),
  'NEWOBJ of a text': () => bytes('\x80\x02', shortText('a'), ')\x81.'),
  EXT1: () => bytes('\x80\x02\x82\x01.'),
  EXT2: () => bytes('\x80\x02\x83\x01\x00.'),
  EXT4: () => bytes('\x80\x02\x84\x01\x00\x00\x00.'),
  PERSID: () => bytes('Pstorage\n.'),
  BINPERSID: () => bytes('\x80\x02', shortText('storage'), 'Q.'),
  'BUILD of a dictionary': () => bytes('\x80\x02}}', shortText('__class__'), 'Nsb.'),
  'BUILD of a list': () => bytes('\x80\x02]}', shortText('__class__'), 'Nsb.'),
  NEXT_BUFFER: () => bytes('\x80\x05\x97.'),
  READONLY_BUFFER: () => bytes('\x80\x05\x97\x98.'),
  'a NumPy object': () =>
    bytes(
      '\x80\x02',
      name('numpy.core.multiarray', 'scalar'),
      name('numpy', 'dtype'),
      shortText('O8'),
      '\x85R',
      'C\x04cos\n',
      '\x86R.',
    ),
  'a NumPy array': () => bytes('\x80\x02', name('numpy.core.multiarray', '_reconstruct'), ')R.'),
  'a NumPy type with fields': () =>
    bytes('\x80\x02', name('numpy', 'dtype'), shortText('i8'), '\x85R(K\x03', shortText('<'), 'N(t}K\x01K\x01K\x00tb.'),
  'a name of a prototype': () => bytes('\x80\x02', name('', '__proto__'), ')R.'),
  'a name called constructor': () => bytes('\x80\x02', name('constructor', 'constructor'), ')R.'),
};

/** Lengths and references that lie. */
const lying: Readonly<Record<string, () => Buffer>> = {
  'a text of 2^63 bytes': () => bytes('\x80\x04\x8d', [0, 0, 0, 0, 0, 0, 0, 0x80], 'a.'),
  'a text of 2^53 bytes': () => bytes('\x80\x04\x8d', [0, 0, 0, 0, 0, 0, 0x20, 0], 'a.'),
  'a text of 4 GB': () => bytes('\x80\x04X', u32(0xffffffff), 'a.'),
  'bytes of 2^64': () => bytes('\x80\x04\x8e', [255, 255, 255, 255, 255, 255, 255, 255], 'a.'),
  'a byte array of 2^62': () => bytes('\x80\x05\x96', [0, 0, 0, 0, 0, 0, 0, 0x40], 'a.'),
  'a whole number of 2^31 bytes': () => bytes('\x80\x02\x8b', u32(0x7fffffff), 'a.'),
  'a whole number of -1 bytes': () => bytes('\x80\x02\x8b', u32(0xffffffff), 'a.'),
  'a whole number of 4 MB': () => bytes('\x80\x02\x8b', u32(LARGE), filled('\x7f'), '.'),
  'a frame of 2^64 bytes': () => bytes('\x80\x04\x95', [255, 255, 255, 255, 255, 255, 255, 255], '}.'),
  'a memo of 2^32': () => bytes('\x80\x02}r', u32(0xffffffff), '0j', u32(0xfffffffe), '.'),
  'a memo with a name': () => bytes('}p__proto__\n0gconstructor\n.'),
  'pops what is not there': () => bytes('\x80\x020000000.'),
  'marks that are not there': () => bytes('\x80\x02tu.'),
  'protocol 9': () => bytes('\x80\x09}.'),
  'nothing but STOP': () => bytes('.'),
};

/** A key whose hash in V8's Map ends in the same bits as all the others': its function for whole numbers, turned around. */
function collidingKey(hash: number): number {
  const inverse = (odd: number): number => {
    let x = odd;
    for (let i = 0; i < 5; i++) x = Math.imul(x, 2 - Math.imul(odd, x));
    return x;
  };
  const unshift = (value: number, by: number): number => {
    let x = value;
    for (let i = 0; i < 32; i += by) x = value ^ (x >>> by);
    return x;
  };
  let key = unshift(hash, 16);
  key = Math.imul(key, inverse(2057));
  key = unshift(key, 4);
  key = Math.imul(key, inverse(5));
  key = unshift(key, 12);
  return Math.imul(key + 1, inverse(32767)) | 0;
}

/** Whole numbers, floats and texts as keys that fall on one another. */
function colliding(count: number, instruction: (key: number) => Buffer): Buffer {
  // The lower bits choose the place in the table, the upper ones do not matter.
  const keys = Array.from({ length: count }, (_, i) => collidingKey((i << 17) | 5));
  return bytes(
    '\x80\x02}(',
    each(keys.length, (i) => Buffer.concat([instruction(keys[i] ?? 0), Buffer.from('N')])),
    'u.',
  );
}
const intInstruction = (key: number): Buffer => bytes('J', u32(key));
const each = (count: number, make: (i: number) => Buffer): Buffer =>
  Buffer.concat(Array.from({ length: count }, (_, i) => make(i)));

/** What takes time or memory out of all proportion. */
const heavy: Readonly<Record<string, () => Buffer>> = {
  'a number that is nearly one, and long': () => bytes('F', filled('1', 60_000), 'x\n.'),
  'many numbers that are nearly ones': () => filled(`F${'1'.repeat(60_000)}\n`),
  'a number of many digits after its point': () => bytes('F.', filled('1', 60_000), 'e\n.'),
  'many whole numbers in digits': () => filled(`L${'9'.repeat(149)}L\n0`),
  'many quotes': () => filled(`S'${'\\'.repeat(60_000)}'\n0`),
  'many escapes': () => filled(`V${'\\u0041'.repeat(10_000)}\n0`),
  'many octal escapes': () => filled(`S'${'\\101'.repeat(15_000)}'\n0`),
  marks: () => filled('('),
  'marks and pops': () => filled('(0'),
  'marks and pops of all': () => filled('(1'),
  'nothing, again and again': () => filled('N0'),
  'empty bytes': () => filled('C\x00'),
  'empty bytes in a list': () =>
    bytes('](', filled('C\x00', 400_000), 'e', filled('(C\x00C\x00C\x00e', 3_500_000), '.'),
  'short bytes in the memo': () => filled('C\x01a\x940'),
  'empty dictionaries': () => bytes('](', filled('}', 250_000), 'e', filled('}a', 3_500_000), '.'),
  'empty sets': () => bytes(']', filled('\x8fa'), '.'),
  'empty lists': () => bytes(']', filled(']a'), '.'),
  'lists of one': () => bytes(']', filled('N\x85a'), '.'),
  'a list in a list in a list': () => bytes(filled(']', 260_000), filled('a', 259_999), '.'),
  'a tuple in a tuple in a tuple': () => bytes(')', filled('\x85'), '.'),
  'a dictionary in a dictionary': () => bytes('}q\x00', filled('N}s', 3_000_000), '.'),
  'a list that holds itself': () => bytes(']q\x00', filled('h\x00a'), '.'),
  'a list that doubles': () =>
    bytes(']q\x00(', filled('N', 100_000), 'e', filled(bytes('(', filled('h\x00', 200_000), 'e'), 3_800_000), '.'),
  'tuples that double': () => bytes(')', filled('2\x86'), '.'),
  'large numbers': () => bytes(']', filled(`\x8a\x20${'\x7f'.repeat(32)}a`), '.'),
  floats: () => bytes(']', filled('G\x3f\xf1\x99\x99\x99\x99\x99\x9aa'), '.'),
  'texts of 24 letters': () => bytes(']', filled(`\x8c\x18${'abcdefghijklmnopqrstuvwx'}a`), '.'),
  'empty texts': () => bytes(']', filled('\x8c\x00a'), '.'),
  'texts of one letter beyond ASCII': () => bytes(']', filled('\x8c\x02\xc3\xa9a'), '.'),
  'a text of 4 MB that no UTF-8 is': () => bytes('\x80\x04X', u32(LARGE), filled('\xff'), '.'),
  'a text of 4 MB beyond Latin': () => bytes('\x80\x04X', u32(LARGE - 1), filled('\xe4\xb8\xad', LARGE), '.'),
  'Python 2 texts': () => bytes(']', filled(`U\x20${'\xe9'.repeat(32)}a`), '.'),
  'the memo': () =>
    bytes(
      'N',
      each(700_000, (i) => bytes('r', u32(i * 5))),
      '.',
    ),
  'the memo in order': () => bytes('N', filled('\x94'), '.'),
  'the memo in digits': () => bytes('N', filled(`p${'1'.repeat(140)}\n`), '.'),
  'recalled from the memo': () => bytes('Nq\x00', filled('h\x000'), '.'),
  duplicates: () => filled('(N22222222222222222222222222222221'),
  'whole numbers that fall on one another': () => colliding(30_000, intInstruction),
  'sets of whole numbers that fall on one another': () =>
    bytes(
      '\x80\x04\x8f(',
      each(30_000, (i) => intInstruction(collidingKey((i << 17) | 5))),
      '\x90.',
    ),
  'memo numbers that fall on one another': () =>
    bytes(
      'N',
      each(30_000, (i) => bytes('r', u32(collidingKey((i << 17) | 5)))),
      '.',
    ),
  'many keys of floats': () =>
    bytes(
      '\x80\x02}(',
      each(300_000, (i) => floatInstruction(i * 2 ** -40)),
      'u.',
    ),
  'many NumPy types': () => bytes('\x80\x02', name('numpy', 'dtype'), 'q\x000', filled(`h\x00\x8c\x03U99\x85R0`), '.'),
  'many NumPy texts': () =>
    bytes(
      '\x80\x02',
      name('numpy.core.multiarray', 'scalar'),
      'q\x00',
      name('numpy', 'dtype'),
      `\x8c\x03U50\x85Rq\x01`,
      ']',
      filled(bytes('h\x00h\x01C\xc8', Buffer.alloc(200, Buffer.from([65, 0, 0, 0])), '\x86Ra')),
      '.',
    ),
  names: () => filled('cnumpy\ndtype\n0'),
  'long names': () => filled(`c${'n'.repeat(60_000)}\n${'a'.repeat(60_000)}\n`),
  'a pickle of 9 MB': () => filled('N0', 9_000_000),
};

function floatInstruction(value: number): Buffer {
  const out = Buffer.alloc(10);
  out[0] = 0x47;
  out.writeDoubleBE(value, 1);
  out[9] = 0x4e;
  return out;
}

export const pickleBombs: Readonly<Record<string, () => Buffer>> = { ...calling, ...lying, ...heavy };

/** Names, calls and containers, for random changes to put in. */
export const pickleWords: readonly Uint8Array[] = [
  ...[
    '(',
    '}',
    ']',
    ')',
    't',
    'u',
    's',
    'a',
    'e',
    '0',
    '1',
    '2',
    'R',
    'b',
    'N',
    '\x88',
    '\x89',
    '\x81',
    '\x85',
    '\x86',
    '\x87',
    '\x8f',
    '\x90',
    '\x91',
  ],
  ...[
    '\x94',
    'h\x00',
    'q\x00',
    'h\x01',
    'q\x01',
    'K\x01',
    'M\x01\x00',
    'I01\n',
    'I00\n',
    'L5L\n',
    'F1.5\n',
    'Va\n',
    "S'a'\n",
    '\x8c\x01a',
    'U\x01a',
  ],
  ...[
    'X\x01\x00\x00\x00a',
    '\x8a\x01\x05',
    'C\x01a',
    'cos\nsystem\n',
    'cnumpy\ndtype\n',
    'c_codecs\nencode\n',
    'cbuiltins\neval\n',
  ],
  ...[
    '(ios\nsystem\n',
    '\x82\x01',
    '\x95\x00\x00\x00\x00\x00\x00\x00\x00',
    '\x8c\x09__proto__',
    '\x8c\x0bconstructor',
    '.',
  ],
].map((word) => Buffer.from(word, 'latin1'));
