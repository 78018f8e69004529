import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatReport, reportFormats } from "../../src/cli/reports/format.ts";
import type { CheckReport, Finding } from "../../src/cli/reports/report.ts";
import { anyCharacter } from "../../src/laws/any.ts";

const finding: Finding = {
  level: "error",
  rule: "FieldValueInvalid",
  message: "spec.size: Invalid value: 9",
  place: { file: "my gadgets/one.yaml", line: 7, column: 3 },
};

const reportOf = (...findings: readonly Finding[]): CheckReport => ({
  name: "antechamber validate",
  suites: [{ name: "one.yaml", checks: [{ group: "Gadget", name: "g", findings }] }],
});

describe("GitHub Actions", () => {
  it("gets one annotation a finding, at its file and line", () => {
    expect(formatReport(reportOf(finding), "github")).toBe(
      "::error file=my gadgets/one.yaml,line=7,col=3,title=Gadget%3A g (FieldValueInvalid)::spec.size: Invalid value: 9",
    );
  });

  it("gets nothing where nothing was found", () => {
    expect(formatReport(reportOf(), "github")).toBe("");
  });

  it("gets no second command from what an object contains", () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), fc.string({ unit: anyCharacter }), (message, file) => {
        const place = { file, line: 1 };
        const printed = formatReport(
          reportOf({ ...finding, message: `a\n::set-env ${message}`, place }),
          "github",
        );
        expect(printed).toMatch(/^::error [^\r\n]*$/);
        expect(/^::error file=([^,]*),line=1,/.exec(printed)?.[1]).toBe(escapedProperty(file));
      }),
    );
  });
});

const escapedProperty = (text: string) =>
  text.replaceAll(
    /[%\r\n:,]/g,
    (each) => `%${each.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`,
  );

describe("SARIF", () => {
  it("has a rule for each sort of finding and a result for each finding", () => {
    const warning: Finding = { level: "warning", rule: "Warning", message: "retired" };
    const { version, runs } = JSON.parse(formatReport(reportOf(finding, warning, finding), "sarif"));
    expect(version).toBe("2.1.0");
    expect(runs).toHaveLength(1);
    expect(runs[0].tool.driver.rules).toEqual([{ id: "FieldValueInvalid" }, { id: "Warning" }]);
    expect(runs[0].results.map(({ ruleId }: { ruleId: string }) => ruleId)).toEqual([
      "FieldValueInvalid",
      "Warning",
      "FieldValueInvalid",
    ]);
    expect(runs[0].results[0].locations).toEqual([
      {
        physicalLocation: {
          artifactLocation: { uri: "my%20gadgets/one.yaml" },
          region: { startLine: 7, startColumn: 3 },
        },
      },
    ]);
    // A finding about standard input has no file.
    expect(runs[0].results[1]).not.toHaveProperty("locations");
  });
});

describe("JUnit", () => {
  it("counts failures and skipped checks, and fails only for errors", () => {
    const report: CheckReport = {
      name: "antechamber validate",
      suites: [
        {
          name: "one.yaml",
          checks: [
            { group: "Gadget", name: "bad", seconds: 0.5, findings: [finding, finding] },
            { group: "Gadget", name: "old", findings: [{ ...finding, level: "warning" }] },
            { group: "Gadget", name: "strange", skipped: "unknown kind", findings: [] },
          ],
        },
      ],
    };
    expect(formatReport(report, "junit").split("\n")).toEqual([
      '<?xml version="1.0" encoding="UTF-8"?>',
      '<testsuites name="antechamber validate" tests="3" failures="1" errors="0" skipped="1" time="0.500">',
      '  <testsuite name="one.yaml" tests="3" failures="1" errors="0" skipped="1" time="0.500">',
      '    <testcase classname="Gadget" name="bad" time="0.500">',
      '      <failure type="FieldValueInvalid" message="spec.size: Invalid value: 9">my gadgets/one.yaml:7: spec.size: Invalid value: 9',
      "my gadgets/one.yaml:7: spec.size: Invalid value: 9</failure>",
      "    </testcase>",
      '    <testcase classname="Gadget" name="old"/>',
      '    <testcase classname="Gadget" name="strange">',
      '      <skipped message="unknown kind"/>',
      "    </testcase>",
      "    <system-out>Warning: spec.size: Invalid value: 9</system-out>",
      "  </testsuite>",
      "</testsuites>",
    ]);
  });
});

it("no text of an object breaks a format", () => {
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter }), (text) => {
      const report = reportOf({ ...finding, message: text, rule: text, details: text });
      const [junit, sarif] = reportFormats.map((format) => formatReport(report, format));
      expect(() => JSON.parse(sarif ?? "")).not.toThrow();
      const bare = (junit ?? "").replaceAll(
        /<\/?[a-z-]+(?: [a-z]+="[^"<&]*(?:&[^"<]*)*")*\/?>|<\?xml[^>]*\?>/g,
        "",
      );
      expect(bare).not.toMatch(/[<>]/);
    }),
  );
});
