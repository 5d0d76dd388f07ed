// Brings the page up to date in place: what has not changed stays as it is, with its focus, selection and scroll.
const EVERY_MS = 2000;
const live = document.getElementById('live');

async function update() {
  const asking = new AbortController();
  const patience = setTimeout(() => asking.abort(), EVERY_MS * 2);
  try {
    const reply = await fetch('/', { signal: asking.signal, cache: 'no-store' });
    if (!reply.ok) throw new Error(`${reply.status}`);
    const next = new DOMParser().parseFromString(await reply.text(), 'text/html');
    document.title = next.title;
    patch(document.body, next.body);
    say('');
  } catch {
    say('The health service does not answer; what stands here is old.');
  } finally {
    clearTimeout(patience);
    setTimeout(update, EVERY_MS);
  }
}

/** Said once: screen readers read it out whenever it is set. */
function say(words) {
  if (live.textContent !== words) live.textContent = words;
  document.body.classList.toggle('old', words !== '');
}

/** Makes one element look like another, with as few changes as its shape allows. */
function patch(old, next) {
  if (old.id === 'live') return;
  for (const { name, value } of next.attributes) if (old.getAttribute(name) !== value) old.setAttribute(name, value);
  for (const { name } of [...old.attributes]) if (!next.hasAttribute(name)) old.removeAttribute(name);
  const [olds, nexts] = [[...old.childNodes], [...next.childNodes]];
  for (const [i, node] of nexts.entries()) {
    const known = olds[i];
    if (known === undefined) old.append(node);
    else if (known.nodeName !== node.nodeName || known.id !== node.id) known.replaceWith(node);
    else if (node.nodeType === Node.ELEMENT_NODE) patch(known, node);
    else if (known.nodeValue !== node.nodeValue) known.nodeValue = node.nodeValue;
  }
  for (const rest of olds.slice(nexts.length)) rest.remove();
}

setTimeout(update, EVERY_MS);
