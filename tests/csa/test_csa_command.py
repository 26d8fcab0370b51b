"""`shogi-engine csa`: arguments, the password, what is shown, and the status it ends with."""

import os

import pytest

from shogi_engine.__main__ import main
from shogi_engine.cli import csa
from shogi_engine.csa.connection import VARIABLE, Connection, Password, read_password
from shogi_engine.csa.session import GameSaver
from shogi_engine.records import GameRecord
from tests.csa.scripted import SECRET, ScriptedPlayer, ScriptedServer


@pytest.fixture
def secret(tmp_path):
    path = tmp_path / "password"
    path.write_text(f"{SECRET}\nanything\n")
    path.chmod(0o600)
    return path


@pytest.fixture(autouse=True)
def no_password(monkeypatch):
    monkeypatch.delenv(VARIABLE, raising=False)


@pytest.fixture
def player(monkeypatch):
    player = ScriptedPlayer("7g7f")
    monkeypatch.setattr(csa, "make_player", lambda args: player)
    return player


def script(peer):
    peer.begin("+")
    peer.accept("+7776FU")
    peer.send("%TORYO,T1", "#RESIGN", "#WIN")
    peer.logout()


def test_a_game_by_the_command(player, secret, tmp_path, capsys):
    with ScriptedServer(script) as server:
        log, folder = tmp_path / "log", tmp_path / "games"
        address = f"127.0.0.1:{server.port}"
        arguments = ["--name", "me", "--password-file", str(secret), "--out", str(folder), "--log", str(log)]
        assert main(["csa", address, *arguments]) == 0
    shown = capsys.readouterr()
    assert "game 1: black against other, 300 s + 10 s increment" in shown.out
    assert "1 game: 1 won, 0 lost, 0 drawn" in shown.out
    assert sorted(path.name for path in folder.iterdir()) == ["g1.csa", "g1.kif"]
    text = log.read_text()
    assert " > LOGIN me *****" in text and " < LOGIN:me OK" in text and " = logged in" in text
    assert SECRET not in text + shown.out + shown.err


def test_a_broken_game_is_a_status(player, secret):
    def cut(peer):
        peer.begin("+")
        peer.expect("+7776FU")
        peer.cut()

    with ScriptedServer(cut) as server:
        arguments = ["--name", "me", "--password-file", str(secret), "--set", "resume=0"]
        assert main(["csa", f"127.0.0.1:{server.port}", *arguments]) == 1


def test_a_refused_login_is_one_line(player, secret, capsys):
    def refuse(peer):
        peer.expect("LOGIN")
        peer.send(f"LOGIN:incorrect, {SECRET}")  # a server may repeat it
        peer.end()

    with ScriptedServer(refuse) as server:
        assert main(["csa", f"127.0.0.1:{server.port}", "--name", "me", "--password-file", str(secret)]) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1 and "refused the login of me" in error and SECRET not in error


def test_a_refused_login_with_a_log_is_one_line_too(player, secret, capfd, tmp_path):
    """The reader's thread logs the end of the connection while the command closes the log."""

    def refuse(peer):
        peer.expect("LOGIN")
        peer.send("LOGIN:incorrect")
        peer.end()

    for number in range(10):
        with ScriptedServer(refuse) as server:
            log = ["--log", str(tmp_path / f"{number}.log")]
            assert main(["csa", f"127.0.0.1:{server.port}", "--name", "me", "--password-file", str(secret), *log]) == 2
        error = capfd.readouterr().err
        assert error.count("\n") == 1 and "refused the login of me" in error
        assert " < LOGIN:incorrect" in (tmp_path / f"{number}.log").read_text()


def test_nothing_is_logged_after_the_connection_was_closed():
    logged = []

    def script(peer):
        peer.end()

    with ScriptedServer(script) as server:
        connection = Connection(
            "127.0.0.1", server.port, lambda each: None, timeout=5, log=lambda *line: logged.append(line)
        )
        connection.close()
        assert logged and logged[-1][0] == "="
        count = len(logged)
    assert len(logged) == count


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="a full disk")
def test_a_log_that_can_not_be_written_ends_no_game(player, secret, capsys):
    with ScriptedServer(script) as server:
        arguments = ["--name", "me", "--password-file", str(secret), "--log", "/dev/full"]
        assert main(["csa", f"127.0.0.1:{server.port}", *arguments]) == 0
    shown = capsys.readouterr()
    assert shown.err.count("\n") == 1 and "No space left on device" in shown.err and "1 won" in shown.out


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (["host:99999", "--name", "me"], "HOST"),
        (["host:", "--name", "me"], "HOST"),
        (["::1", "--name", "me"], "HOST"),
        (["host", "--name", "m e"], "name"),
        (["host", "--name", "me", "--x1"], "x1"),
        (["host", "--name", "me", "--x1", "--game", "test-600-10F-B"], "--x1"),
        (["host", "--name", "me", "--game", "x"], "NAME-SECONDS"),
        (["host", "--name", "me"], VARIABLE),
        (["host", "--name", "me", "--password-file", "/nowhere/x"], "nowhere"),
    ],
)
def test_wrong_arguments(player, arguments, word, capsys):
    assert main(["csa", *arguments]) == 2
    error = capsys.readouterr().err
    assert word in error and error.count("\n") == 1


def test_there_is_no_way_to_name_the_password_on_the_command_line(capsys):
    with pytest.raises(SystemExit):
        main(["csa", "host", "--name", "me", "--password", "x"])
    capsys.readouterr()


def test_options_of_our_engine_are_not_for_others(secret, capsys):
    arguments = ["--name", "me", "--password-file", str(secret), "--engine", "x", "--level", "3"]
    assert main(["csa", "host", *arguments]) == 2
    assert "--level" in capsys.readouterr().err


def test_addresses():
    assert csa.server_address("wdoor.c.u-tokyo.ac.jp") == ("wdoor.c.u-tokyo.ac.jp", 4081)
    assert csa.server_address("localhost:4000") == ("localhost", 4000)
    assert csa.server_address("[::1]:4000") == ("::1", 4000)


# ---- the password


def test_the_password_of_the_environment_is_not_handed_on(monkeypatch):
    monkeypatch.setenv(VARIABLE, SECRET)
    assert read_password() == SECRET
    assert VARIABLE not in os.environ


def test_the_file_wins_and_the_environment_is_forgotten(monkeypatch, secret):
    monkeypatch.setenv(VARIABLE, "other")
    assert read_password(str(secret)) == SECRET
    assert VARIABLE not in os.environ


@pytest.mark.skipif(os.name != "posix", reason="permissions")
def test_a_file_that_others_can_read_is_refused(secret):
    secret.chmod(0o644)
    with pytest.raises(ValueError, match="chmod 600"):
        read_password(str(secret))


def test_an_empty_file_is_refused(secret):
    secret.write_text("\n")
    with pytest.raises(ValueError, match="empty"):
        read_password(str(secret))


@pytest.mark.parametrize("text", ["", "a b", "é", "a\tb"])
def test_what_can_not_be_a_password(text):
    with pytest.raises(ValueError):
        Password(text)


def test_a_password_does_not_show_itself():
    password = Password(SECRET, "floodgate-300-10F")
    assert password.for_login() == f"floodgate-300-10F,{SECRET}"
    assert SECRET not in repr(password) and SECRET not in password.hide(password.for_login())


# ---- the files of records


def test_names_of_files(tmp_path):
    keeper = GameSaver(tmp_path)
    assert keeper.stem("wdoor+floodgate-300-10F+a+b+2026") == "wdoor+floodgate-300-10F+a+b+2026"
    assert keeper.stem("../../etc/passwd") == "etc_passwd"
    assert len(keeper.stem("x" * 500)) <= 200
    assert keeper.stem("///")
    record = GameRecord.from_moves("shogi", ["7g7f"])
    assert keeper.save(record, "a") == tmp_path / "a.csa"
    assert keeper.stem("a") == "a-2"


def test_without_a_folder_nothing_is_written():
    assert GameSaver().save(GameRecord.from_moves("shogi", ["7g7f"]), "a") is None


def test_a_log_that_is_none_stays(secret, tmp_path, capsys):
    log = tmp_path / "letter"
    log.write_text("a letter")
    words = ["csa", "127.0.0.1:1", "--name", "me", "--password-file", str(secret), "--log", str(log)]
    assert main(words) == 2
    assert "not a log of conversations" in capsys.readouterr().err and log.read_text() == "a letter"


def test_a_full_disk_ends_the_log_and_not_the_game(player, secret, tmp_path, monkeypatch, capsys):
    def full(self, data):
        raise OSError(28, "No space left on device", str(tmp_path / "log"))

    monkeypatch.setattr(csa.LineFile, "write", full)
    with ScriptedServer(script) as server:
        words = ["--name", "me", "--password-file", str(secret), "--log", str(tmp_path / "log")]
        assert main(["csa", f"127.0.0.1:{server.port}", *words]) == 0
    error = capsys.readouterr().err
    assert error.count("\n") == 1 and "No space left" in error and SECRET not in error


def test_another_game_of_the_same_name_stays(tmp_path, monkeypatch):
    one, other = GameSaver(tmp_path), GameSaver(tmp_path)  # the two players of a game on one machine, for example
    stems = [each.stem("game") for each in (one, other)]
    free = iter(["game", "game-2"])
    monkeypatch.setattr(other, "stem", lambda name: next(free))  # the first is taken a moment later
    records_of = [GameRecord.from_moves("shogi", moves) for moves in (["7g7f"], ["7g7f", "3c3d"])]
    paths = [each.save(record, stem) for each, record, stem in zip((one, other), records_of, stems, strict=True)]
    assert paths == [tmp_path / "game.csa", tmp_path / "game-2.csa"]
    assert other.save(records_of[0], "game") == paths[1]  # an aborted game that went on
    assert paths[0].read_bytes() == paths[1].read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["game-2.csa", "game-2.kif", "game.csa", "game.kif"]
