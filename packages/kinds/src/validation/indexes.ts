/**
 * How many numbers a text of numbers and ranges names: `1,3-5` names four. They have to go up, and stay below the number
 * of completions.
 */
export function countIndexes(text: string, completions: number): { total: number } | { problem: string } {
  if (text === '') return { total: 0 };
  let total = 0;
  let last: number | undefined;
  for (const part of text.split(',')) {
    const ends = part.split('-');
    if (ends.length > 2)
      return {
        problem: `the fragment ${JSON.stringify(part)} violates the requirement that an index interval can have at most two parts separated by '-'`,
      };
    const numbers: number[] = [];
    for (const end of ends) {
      if (!/^[+-]?\d+$/.test(end)) {
        return { problem: `cannot convert string to integer for index: ${JSON.stringify(end)}` };
      }
      numbers.push(Number(end));
    }
    const [first = 0, to = first] = numbers;
    for (const number of numbers) {
      if (number >= completions) return { problem: `too large index: ${JSON.stringify(String(number))}` };
    }
    if (last !== undefined && last >= first)
      return { problem: `non-increasing order, previous: ${last}, current: ${first}` };
    if (ends.length === 2 && first >= to)
      return { problem: `non-increasing order, previous: ${first}, current: ${to}` };
    total += to - first + 1;
    last = to;
  }
  return { total };
}
