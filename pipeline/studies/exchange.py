"""Studies in other programs' forms, and answers from them: Label Studio, and the CSV files of crowd platforms.

| | out | in |
|---|---|---|
| forms without a server | `pages.py` | a `.jsonl` file per worker |
| Label Studio | `tasks.json` and a labelling interface per kind of item | its JSON export |
| crowd platforms | a CSV with one row per item | a CSV with `item`, `worker`, `answer.QUESTION` |
"""

import csv
import hashlib
import io
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from xml.sax.saxutils import quoteattr

from pydantic import ValidationError

from pipeline.errors import RostrumError
from pipeline.studies.items import Answer, Answers, Item, Question, is_asked, what_is_wrong
from pipeline.studies.study import Given, StudyFolder, append, journal, read_journal
from pipeline.system.files import read_text


def add_answers(folder: StudyFolder, file: Path) -> int:
    """Add the answers in a file to those of the study, and return how many are new.

    The file may be added again: an answer that is there already is left alone.
    """
    read = list(_read(folder, file))
    for given in read:
        item = folder.study.by_id.get(given.item)
        if item is None:
            raise RostrumError(f"{file}: there is no item {given.item!r} in {folder.path}; is it of another study?")
        if not given.late and (wrong := what_is_wrong(item, given.answers)):
            raise RostrumError(f"{file}: {given.worker}, {given.item}: {wrong}")
    known = {sheet: read_journal(journal(folder, sheet)) for sheet in {given.worker for given in read}}
    numbers = {(worker, given.number) for worker, written in known.items() for given in written.given}
    new = [given for given in read if (given.worker, given.number) not in numbers]
    for given in new:
        append(journal(folder, given.worker), given.model_dump_json(exclude_defaults=True))
    return len(new)


def _read(folder: StudyFolder, file: Path) -> Iterator[Given]:
    suffix = file.suffix.lower()
    if suffix == ".jsonl":
        read = _from_forms(file)
    elif suffix == ".json":
        read = _from_label_studio(folder, file)
    elif suffix == ".csv":
        read = _from_csv(folder, file)
    else:
        raise RostrumError(f"{file}: not a file of answers; give .jsonl of forms, .json of Label Studio, or .csv")
    for given in read:
        if given.worker not in folder.study.sheet_of:
            raise RostrumError(f"{file}: there is no worker {given.worker!r} in {folder.path}")
        yield given.model_copy(update={"source": file.name})


def _from_forms(file: Path) -> Iterator[Given]:
    for number, line in enumerate(read_text(file).splitlines(), 1):
        try:
            yield Given.model_validate_json(line)
        except ValidationError as error:
            raise RostrumError(f"{file}:{number}: not an answer: {error.errors()[0]['msg']}") from error


# Which worker of the study somebody of another platform is: the next free one, always the same for one name.


def _workers(folder: StudyFolder, names: Iterable[str]) -> dict[str, str]:
    """A worker of the study for each name of another platform. A name that is a worker's stands for itself."""
    path = folder.path / "platform_workers.csv"
    known = dict(csv.reader(io.StringIO(read_text(path)))) if path.exists() else {}
    free = [worker for worker in folder.study.sheet_of if worker not in set(known.values())]
    for name in dict.fromkeys(names):
        if name not in known:
            worker = name if name in free else next(iter(free), None)
            if worker is None:
                raise RostrumError(
                    f"{folder.path}: more people answered than the study has workers, {len(folder.study.sheets)}; "
                    "make it with more --workers"
                )
            free.remove(worker)
            known[name] = worker
            text = io.StringIO(newline="")
            csv.writer(text, lineterminator="").writerow((name, worker))
            append(path, text.getvalue())
    return known


# CSV files of crowd platforms.


def write_csv(folder: StudyFolder, to: Path) -> list[Path]:
    """Write the items as CSV, one row per item. What is heard is a file name; the platform has to have the files."""
    items = folder.study.items
    questions = list(dict.fromkeys(question.id for item in items for question in item.questions))
    parts = max(len(item.shown) for item in items)
    columns = ["item", "title", "lead", *(f"shown{n + 1}" for n in range(parts))]
    columns += [f"{question}.{what}" for question in questions for what in ("text", "rows", "options")]
    with to.open("x", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, columns, restval="")
        writer.writeheader()
        writer.writerows(_csv_row(folder, item) for item in items)
    return [to]


def _csv_row(folder: StudyFolder, item: Item) -> dict[str, str]:
    shown = item.for_worker("", folder.study.seed)
    row = {"item": item.id, "title": item.title, "lead": item.lead}
    for number, part in enumerate(shown["shown"], 1):
        row[f"shown{number}"] = part["media"] or "\n".join(filter(None, (part["label"], part["text"])))
    for question in shown["questions"]:
        row[f"{question['id']}.text"] = question["text"]
        row[f"{question['id']}.rows"] = _lines(question["rows"])
        row[f"{question['id']}.options"] = _lines(question["options"])
    return row


def _lines(options: Iterable[Mapping[str, Any]]) -> str:
    return "\n".join(f"{option['value']}: {option['text']}" for option in options)


def _from_csv(folder: StudyFolder, file: Path) -> Iterator[Given]:
    """Results: one row per worker and item. Columns `answer.QUESTION`, or `answer.QUESTION.ROW` for rows.

    Names that platforms use for the columns item, worker and seconds are known, too.
    """
    rows = list(csv.DictReader(io.StringIO(read_text(file))))
    if not rows:
        raise RostrumError(f"{file}: no answers in it")
    item, worker = (
        _column(file, rows[0], names) for names in (("item", "Input.item"), ("worker", "WorkerId", "participant_id"))
    )
    people = _workers(folder, (row[worker] for row in rows))
    for row in rows:
        known = folder.study.by_id.get(row[item])
        answers = _answers_of_row(known, row) if known else {}
        seconds = row.get("seconds") or row.get("WorkTimeInSeconds") or "0"
        yield _given(people[row[worker]], row[item], answers, seconds, file)


def _column(file: Path, row: Mapping[str, str], names: Sequence[str]) -> str:
    column = next((name for name in names if name in row), None)
    if column is None:
        raise RostrumError(f"{file}: no column {names[0]!r}")
    return column


def _answers_of_row(item: Item, row: Mapping[str, str]) -> Answers:
    cells = {name.lower().removeprefix("answer."): value for name, value in row.items() if name and value}
    return _asked(item, ((question, _cell(question, cells)) for question in item.questions))


def _cell(question: Question, cells: Mapping[str, str]) -> Answer | None:
    if question.kind == "rows":
        rows = {row.value: cells.get(f"{question.id}.{row.value}".lower(), "") for row in question.rows}
        return rows if any(rows.values()) else None
    cell = cells.get(question.id.lower())
    if question.kind == "several":
        return [] if cell in (None, "none") else [value.strip() for value in str(cell).split(",")]
    return cell


def _asked(item: Item, answers: Iterable[tuple[Question, Answer | None]]) -> Answers:
    """The answers to those questions that are asked."""
    given: Answers = {}
    for question, answer in answers:
        if answer is not None and is_asked(question, given):
            given[question.id] = answer
    return given


def _given(worker: str, item: str, answers: Answers, seconds: str, file: Path) -> Given:
    digest = hashlib.sha256(json.dumps([worker, item, answers], sort_keys=True).encode()).hexdigest()[:24]
    try:
        return Given(worker=worker, item=item, number=digest, answers=answers, seconds=float(seconds), at=0.0)
    except ValueError as error:
        raise RostrumError(f"{file}: {worker}, {item}: {seconds!r} is not a time in seconds") from error


# Label Studio.


def write_label_studio(folder: StudyFolder, to: Path) -> list[Path]:
    """Write tasks to import, and the labelling interface of each kind of item. Returns the files."""
    to.mkdir(parents=True, exist_ok=True)
    kinds: dict[str, list[dict[str, Any]]] = {}
    for item in folder.study.items:
        shown = item.for_worker("", folder.study.seed)
        kinds.setdefault(_interface(shown), []).append(_label_studio_task(shown))
    paths = []
    for number, (interface, tasks) in enumerate(kinds.items(), 1):
        name = "" if len(kinds) == 1 else f"-{number}"
        for path, text in (
            (to / f"interface{name}.xml", interface),
            (to / f"tasks{name}.json", json.dumps(tasks, indent=1)),
        ):
            with path.open("x", encoding="utf-8") as file:
                file.write(text)
            paths.append(path)
    return paths


def _label_studio_task(shown: Mapping[str, Any]) -> dict[str, Any]:
    data = {"item": shown["id"], "title": shown["title"], "lead": shown["lead"]}
    for number, part in enumerate(shown["shown"], 1):
        data[f"shown{number}"] = f"/data/local-files/?d=media/{part['media']}" if part["media"] else part["text"]
        data[f"label{number}"] = part["label"]
    for question in shown["questions"]:
        for row in question["rows"]:
            data[f"{question['id']}-{row['value']}"] = row["text"]
        if question["kind"] in ("choice", "several") and not question["rows"]:
            options = [{"value": option["value"], "html": option["text"]} for option in question["options"]]
            data[f"{question['id']}-options"] = options
    return {"data": data}


def _interface(shown: Mapping[str, Any]) -> str:
    """The labelling interface of an item, as Label Studio's XML."""
    lines = ['<Header value="$title"/>', '<Text name="lead" value="$lead"/>']
    for number, part in enumerate(shown["shown"], 1):
        lines.append(f'<Header value="$label{number}" size="5"/>')
        kind = "Audio" if part["media"] else "Text"
        lines.append(f'<{kind} name="shown{number}" value="$shown{number}"/>')
    for question in shown["questions"]:
        lines += _controls(question)
    return "<View>\n" + "\n".join(f"  {line}" for line in lines) + "\n</View>\n"


def _controls(question: Mapping[str, Any]) -> Iterator[str]:
    name, target = question["id"], 'toName="shown1"'
    yield f'<Header value={quoteattr(question["text"])} size="4"/>'
    if question["kind"] == "text":
        yield f'<TextArea name="{name}" {target} rows="4" maxSubmissions="1"/>'
    elif question["kind"] == "rows":
        choices = "".join(
            f'<Choice value="{option["value"]}" html={quoteattr(option["text"])}/>' for option in question["options"]
        )
        for row in question["rows"]:
            yield f'<Text name="text-{name}-{row["value"]}" value="${name}-{row["value"]}"/>'
            attributes = f'name="{name}-{row["value"]}" {target} choice="single" showInline="true"'
            yield f"<Choices {attributes}>{choices}</Choices>"
    else:
        choice = "single" if question["kind"] == "choice" else "multiple"
        yield f'<Choices name="{name}" {target} choice="{choice}" value="${name}-options"/>'


def _from_label_studio(folder: StudyFolder, file: Path) -> Iterator[Given]:
    """The annotations of Label Studio's JSON export."""
    try:
        tasks = json.loads(read_text(file))
        annotations = [(task["data"]["item"], annotation) for task in tasks for annotation in task["annotations"]]
        people = _workers(folder, (_annotator(annotation) for _, annotation in annotations))
    except (ValueError, KeyError, TypeError) as error:
        raise RostrumError(f"{file}: not an export of Label Studio as JSON, of tasks that rostrum wrote") from error
    for name, annotation in annotations:
        if annotation.get("was_cancelled"):
            continue
        item = folder.study.by_id.get(name)
        results = {each["from_name"]: each["value"] for each in annotation.get("result", ()) if "from_name" in each}
        answers = (
            _asked(item, ((question, _of_results(question, results)) for question in item.questions)) if item else {}
        )
        seconds = str(annotation.get("lead_time") or 0)
        yield _given(people[_annotator(annotation)], name, answers, seconds, file)


def _annotator(annotation: Mapping[str, Any]) -> str:
    by = annotation.get("completed_by")
    return str(by.get("email") or by["id"] if isinstance(by, dict) else by)


def _of_results(question: Question, results: Mapping[str, Mapping[str, Any]]) -> Answer | None:
    if question.kind == "rows":
        chosen = {row.value: results.get(f"{question.id}-{row.value}", {}).get("choices", []) for row in question.rows}
        return {row: values[0] for row, values in chosen.items() if values} or None
    value = results.get(question.id, {})
    if question.kind == "several":
        return list(value.get("choices", []))
    if question.kind == "text":
        text = value.get("text")
        return " ".join(text) if isinstance(text, list) else text
    chosen = value.get("choices", [])
    return chosen[0] if chosen else None
