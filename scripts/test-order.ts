import { relative } from "node:path";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/**
 * Orders the test files, which share the processes of a run. Files that start many programs come first, because starting
 * one takes longer the more memory a process has. Files that drive a browser come last, because before Node 24 Playwright
 * makes every later promise of its process slower. Within a group, the order is Vitest's.
 */
const groups = [/^(sdk|torture)\//, /^(?!examples\/dashboard\/test\/)/, /^/];

export class TestOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const groupOf = ({ moduleId, project }: TestSpecification) => {
      const path = relative(project.config.root, moduleId).replaceAll("\\", "/");
      return groups.findIndex((group) => group.test(path));
    };
    return sorted.sort((a, b) => groupOf(a) - groupOf(b));
  }
}
