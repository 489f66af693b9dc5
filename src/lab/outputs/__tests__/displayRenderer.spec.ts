import { Sanitizer } from '@jupyterlab/apputils';
import { closed, closedSanitizer } from '../displayRenderer';

/** Everything that a browser could fetch or run has an address or is an element of these. */
const OUTSIDE = /https?:|\/\/|url\(|javascript:|srcdoc|on\w+=/i;

describe('closed', () => {
  it.each([
    '<img src="https://example.org/x.png">',
    '<img src="//example.org/x.png">',
    '<img src="/files/secret.png">',
    '<img src="x" onerror="alert(1)">',
    '<img srcset="https://example.org/x.png 2x">',
    '<table background="https://example.org/x.png"><tr><td>1</td></tr></table>',
    '<div style="background: url(https://example.org/x.png)">text</div>',
    '<style>@import "https://example.org/x.css";</style>',
    '<link rel="stylesheet" href="https://example.org/x.css">',
    '<iframe src="https://example.org"></iframe>',
    '<iframe srcdoc="<script>alert(1)</script>"></iframe>',
    '<object data="https://example.org"></object>',
    '<embed src="https://example.org">',
    '<video src="https://example.org/v.mp4" poster="https://example.org/p.png"></video>',
    '<svg><image href="https://example.org/x.png"/><script>alert(1)</script></svg>',
    '<math><mtext><img src="https://example.org/x.png"></mtext></math>',
    '<form action="https://example.org"><input name="q"></form>',
    '<a href="javascript:alert(1)">x</a>',
    '<base href="https://example.org/">',
    '<script src="https://example.org/x.js"></script>',
    '<meta http-equiv="refresh" content="0; url=https://example.org">'
  ])('keeps nothing that loads or runs of %s', html => {
    expect(closed(html)).not.toMatch(OUTSIDE);
  });

  it('keeps a table and its spans', () => {
    const table =
      '<table border="1"><tbody><tr><th colspan="2">a</th></tr></tbody></table>';
    expect(closed(table)).toBe(table);
  });

  it('keeps an image that holds its own data', () => {
    const image = '<img src="data:image/png;base64,iVBORw0KGgo=" alt="plot">';
    expect(closed(image)).toBe(image);
  });

  it('shows what a remote image is called', () => {
    expect(closed('<img src="https://example.org" alt="the plot">')).toBe(
      'the plot'
    );
  });

  it('takes away what reaches our own page', () => {
    expect(
      closed(
        '<div class="jp-Refine-button" id="main" style="position: fixed" data-commandlinker-command="x" name="y">text</div>'
      )
    ).toBe('<div>text</div>');
  });

  it('opens a link in a tab of its own, without a way back', () => {
    expect(closed('<a href="https://example.org">x</a>')).toBe(
      '<a href="https://example.org" target="_blank" rel="noopener noreferrer">x</a>'
    );
  });
});

test('runs after the sanitizer of JupyterLab', () => {
  const { sanitize } = closedSanitizer(new Sanitizer());
  expect(
    sanitize(
      '<b onclick="x()">bold</b><img src="https://example.org"><blink>x</blink>'
    )
  ).toBe('<b>bold</b>x');
});
