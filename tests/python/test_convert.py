"""scripts/convert.py: three files a suite and GPU become one file a suite, with a digest that holds."""
import importlib.util
import os

TREE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")

SPEC = importlib.util.spec_from_file_location("convert", os.path.join(TREE, "scripts", "convert.py"))
convert = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(convert)


def older(folder, units):
    """Accepted numbers as they were: a ratio, a counter, facts with the origin of another item."""
    os.makedirs(folder)
    head = convert.HEADER.split(",")[1:12]
    judged = (",".join(head) + ",tolerance,gate,beta,f0,sd_process,sd_day,expect,reason,se,sd\n"
              "f,c,v,time_ratio,1,2,1,3,5,ok,base,0.01,yes,,,0.1,0.2,,why,0.3,0.4\n"
              "f,c,w,time,ns,9,8,10,5,ok,,0.01,yes,,,,,,,,\n")
    counters = ",".join(head) + ",spread,gate,reason\nf,c,v,ipc,1,2,,,1,ok,,0.5,no,\n"
    facts = [("schema", "4"), ("gpu", "h200"), ("suite", "s"), ("accepted_runs", "2"),
             ("accepted_units", units), ("accepted.f.c.w", "7:c3")]
    facts.append(("digest", convert.digest([judged, counters], facts)))
    for name, text in (("s.csv", judged), ("s.counters.csv", counters),
                       ("s.env.csv", "key,value\n" + "".join(map(convert.line, facts)))):
        convert.write(os.path.join(folder, name), text)


def test_three_files_become_rows_of_one(tmp_path):
    older(tmp_path / "h200", "a1+b2")
    older(tmp_path / "h200" / "a1", "a1")
    assert convert.main([str(tmp_path)]) == 0
    assert [name for _, _, names in os.walk(tmp_path) for name in names] == ["s.csv"]
    lines = convert.read(tmp_path / "s.csv").splitlines(keepends=True)
    assert "h200,f,c,v,time_ratio,1,2,1,3,5,ok,base,0.01,yes,,,0.1,0.2,,why,2:a1+b2,0.3,0.4\n" in lines
    assert "h200,f,c,w,time,ns,9,8,10,5,ok,,0.01,yes,,,,,,,7:c3,,\n" in lines
    assert "a1,f,c,v,ipc,1,2,,,1,ok,,,no,,,,0.5,,,,,\n" in lines
    assert "a1,,,,schema,,,,,,,5,,,,,,,,,,,\n" in lines
    assert lines == [lines[0]] + sorted(lines[1:-1], key=lambda line: line[:2]) + [lines[-1]]
    assert lines[-1] == convert.line(convert.fact("", "digest", convert.digest(lines[:-1], [])))


def test_changed_numbers_are_left_alone(tmp_path):
    older(tmp_path / "h200", "a1")
    changed = str(tmp_path / "h200" / "s.csv")
    convert.write(changed, convert.read(changed) + "f,c,x\n")
    assert convert.main([str(tmp_path)]) == 3
    assert sorted(os.listdir(tmp_path / "h200")) == ["s.counters.csv", "s.csv", "s.env.csv"]
