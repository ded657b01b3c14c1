import { crc32, deflateSync } from "node:zlib";

const WIDTH = 240;
const HEIGHT = 135;

/** A picture of a river that falls over a weir, as PNG in base64. */
export function riverPicture(): string {
  const rows = Array.from({ length: HEIGHT }, (_, y) => {
    const row = Buffer.alloc(1 + WIDTH * 3);
    for (let x = 0; x < WIDTH; x++) row.set(colourAt(x, y), 1 + x * 3);
    return row;
  });
  const head = Buffer.alloc(13);
  head.writeUInt32BE(WIDTH, 0);
  head.writeUInt32BE(HEIGHT, 4);
  head.set([8, 2], 8); // eight bits each of red, green and blue
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  const chunks = [chunk("IHDR", head), chunk("IDAT", deflateSync(Buffer.concat(rows))), chunk("IEND", Buffer.alloc(0))];
  return Buffer.concat([signature, ...chunks]).toString("base64");
}

function colourAt(x: number, y: number): readonly [number, number, number] {
  const hills = 42 + 12 * Math.sin(x / 23) + 5 * Math.sin(x / 7);
  if (y < hills - 8) return [190 - y, 215 - y / 2, 238];
  if (y < hills + 6) return [66, 120, 78];
  const fall = 78 + 3 * Math.sin(x / 9);
  if (y > fall && y < fall + 14) return [232, 240, 245];
  const ripple = Math.round(10 * Math.sin((x + y * 3) / 6));
  return y < fall ? [70, 130 + ripple, 168 + ripple] : [48, 100 + ripple, 140 + ripple];
}

function chunk(type: string, content: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type), content]);
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(content.byteLength);
  check.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, check]);
}
