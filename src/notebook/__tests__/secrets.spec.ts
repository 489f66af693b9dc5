/** @jest-environment node */
import { maskSecrets, MASK } from '../secrets';

describe('maskSecrets', () => {
  it.each([
    [
      'client = OpenAI("sk-proj-abcdefghijklmnop1234")',
      `client = OpenAI("${MASK}")`
    ],
    ['k = "AKIAIOSFODNN7EXAMPLE"', `k = "${MASK}"`],
    ['password = "hunter2"', `password = "${MASK}"`],
    [
      "connect(host='db', PASSWORD='p w')",
      `connect(host='db', PASSWORD='${MASK}')`
    ],
    ['{"api_key": "abc", "n": 1}', `{"api_key": "${MASK}", "n": 1}`],
    [
      'os.environ["DB_PASSWORD"] = "x1"',
      `os.environ["DB_PASSWORD"] = "${MASK}"`
    ],
    ['db_pwd <- "x1"', `db_pwd <- "${MASK}"`],
    ['client_secret = f"a{b}"', `client_secret = f"${MASK}"`],
    ['token = "ab12cd34ef56gh78ij90"', `token = "${MASK}"`],
    [
      'u = "postgres://me:pa55@db.example/x"',
      `u = "postgres://me:${MASK}@db.example/x"`
    ],
    [
      'k = """-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----"""',
      `k = """${MASK}"""`
    ],
    [
      'h = {"Authorization": "Bearer eyJhbGciOiJIUzI1.eyJzdWIiOiIxMjM0.abc"}',
      `h = {"Authorization": "Bearer ${MASK}"}`
    ]
  ])('%j', (source, expected) => {
    expect(maskSecrets(source)).toEqual({ text: expected, count: 1 });
  });

  it.each([
    'password = os.environ["DB_PASSWORD"]',
    'password = getpass("Password: ")',
    'api_key = ""',
    'key = "region"',
    'df.sort_values(key="name")',
    'token = "<pad>"',
    'if password == "x": pass',
    'tokens = ["a", "b"]',
    'secret_santa = 3',
    'url = "https://example.org/a:b@c"'
  ])('leaves %j', source => {
    expect(maskSecrets(source)).toEqual({ text: source, count: 0 });
  });

  it('masks a literal once, however it is found', () => {
    const masked = maskSecrets('api_key = "sk-abcdefghijklmnop1234"');
    expect(masked).toEqual({ text: `api_key = "${MASK}"`, count: 1 });
  });
});
