/** The part of the WebAssembly build of MicroPython that the tests use. The package has no types. */
declare module "@micropython/micropython-webassembly-pyscript" {
  export interface WebAssemblyPython {
    readonly FS: { writeFile(path: string, text: string): void };
    readonly globals: { get(name: string): unknown; set(name: string, value: unknown): void };
    runPython(code: string): unknown;
    runPythonAsync(code: string): unknown;
  }
  /** `heapsize` is in bytes. */
  export function loadMicroPython(options: {
    readonly heapsize: number;
  }): Promise<WebAssemblyPython>;
}
